import { router } from '../http/endpoint.ts'
import { createRealUser } from './create-real-user.ts'
import { deleteRootUser } from './delete-root-user.ts'
import { readMe } from './read-me.ts'
import { readRealUser } from './read-real-user.ts'

/** The signed-in account itself. */
export const account = router({ me: readMe, delete: deleteRootUser })

/** The account's children. */
export const children = router({ create: createRealUser, read: readRealUser })
