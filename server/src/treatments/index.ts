import { router } from '../http/endpoint.ts'
import { list } from './list.ts'

/** The operations on what a child's devices recorded. */
export const treatments = router({ list })
