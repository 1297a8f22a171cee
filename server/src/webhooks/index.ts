import { router } from '../http/endpoint.ts'
import { create } from './create.ts'
import { deleteWebhook } from './delete.ts'
import { enable } from './enable.ts'
import { list } from './list.ts'
import { ping } from './ping.ts'
import { rotateSecret } from './rotate-secret.ts'

/** The operations of services on where they are told of changes. */
export const webhooks = router({ create, list, delete: deleteWebhook, rotateSecret, enable, ping })
