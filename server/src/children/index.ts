import { router } from '../http/endpoint.ts'
import { create } from './create.ts'
import { deleteChild } from './delete.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import { update } from './update.ts'

/** The operations on the account's children. */
export const children = router({ create, list, read, update, delete: deleteChild })
