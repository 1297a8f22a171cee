import { router } from '../http/endpoint.ts'
import { connect } from './connect.ts'
import { disconnect } from './disconnect.ts'
import { list } from './list.ts'
import { uploadEnvironment } from './upload-environment.ts'

/** The base stations of the account. */
export const basestations = router({ connect, list, disconnect, uploadEnvironment })
