import { router } from '../http/endpoint.ts'
import { uploadDevlogs } from './upload-devlogs.ts'

export const devlogs = router({ upload: uploadDevlogs })
