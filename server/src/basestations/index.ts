import { router } from '../http/endpoint.ts'
import { connect } from './connect.ts'
import { disconnect } from './disconnect.ts'
import { list } from './list.ts'
import { uploadEnvironment } from './upload-environment.ts'

/** The operations on the account's base stations. */
export const basestations = router({ connect, list, disconnect, uploadEnvironment })
