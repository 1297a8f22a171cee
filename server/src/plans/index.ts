import { router } from '../http/endpoint.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'
import { set } from './set.ts'

/** The operations on what is planned for a child. */
export const plans = router({ list, set, remove })
