import { router } from '../http/endpoint.ts'
import { insight } from './insight.ts'

/** The operations on a child's nights. */
export const nights = router({ insight })
