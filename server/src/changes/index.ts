import { router } from '../http/endpoint.ts'
import { list } from './list.ts'

/** The operations on what has changed. */
export const changes = router({ list })
