import { router } from '../http/endpoint.ts'
import { end } from './end.ts'
import { list } from './list.ts'

/** The operations on services that parents have let in. */
export const grants = router({ list, end })
