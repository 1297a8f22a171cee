import { router } from '../http/endpoint.ts'
import { changePassword } from './change-password.ts'
import { changePhone } from './change-phone.ts'
import { createRealUser } from './create-real-user.ts'
import { deleteRealUser } from './delete-real-user.ts'
import { deleteRootUser } from './delete-root-user.ts'
import { listRealUsers } from './list-real-users.ts'
import { readMe } from './read-me.ts'
import { readRealUser } from './read-real-user.ts'
import { setPushToken } from './set-push-token.ts'
import { updateNotifications } from './update-notifications.ts'
import { updatePolicy } from './update-policy.ts'
import { updateRealUser } from './update-real-user.ts'
import { updateRootUser } from './update-root-user.ts'

/** The signed-in account itself. */
export const account = router({
  me: readMe,
  update: updateRootUser,
  updatePolicy,
  setPushToken,
  updateNotifications,
  changePassword,
  changePhone,
  delete: deleteRootUser,
})

/** The account's children. */
export const children = router({
  create: createRealUser,
  list: listRealUsers,
  read: readRealUser,
  update: updateRealUser,
  delete: deleteRealUser,
})
