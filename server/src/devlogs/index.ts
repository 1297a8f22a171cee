import { router } from '../http/endpoint.ts'
import { deleteDevlogs } from './delete.ts'
import { detail } from './detail.ts'
import { exportDevlogs } from './export.ts'
import { history } from './history.ts'
import { upload } from './upload.ts'

/** The usage logs of a device. */
export const devlogs = router({ upload, delete: deleteDevlogs, history, detail, export: exportDevlogs })
