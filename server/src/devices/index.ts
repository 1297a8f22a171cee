import { router } from '../http/endpoint.ts'
import { connect } from './connect.ts'
import { disconnect } from './disconnect.ts'
import { list } from './list.ts'
import { rename } from './rename.ts'
import { time } from './time.ts'

/** The operations on the devices of the account's children. */
export const devices = router({ list, connect, rename, disconnect, time })
