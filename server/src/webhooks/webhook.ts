import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { insufficientScope, isOfClient } from '../auth/grant-token.ts'
import type { Keys } from '../auth/keys.ts'
import { wireTime } from '../database/wire-time.ts'
import { DELIVERY_MS } from '../delivery/timeout.ts'
import { isSuccess, postWebhook } from '../delivery/post-webhook.ts'
import { ForbiddenAddress } from '../delivery/webhook-address.ts'
import type { Declared } from '../errors/failure.ts'
import type { Operation } from '../http/endpoint.ts'
import { dataScopes } from '../http/scope.ts'
import { InvalidInput } from '../http/validation-issues.ts'

/** A webhook as it is answered. */
export const webhook = z
  .object({
    webhook_id: z.int().meta({ description: 'The id of the webhook', examples: [4] }),
    url: z
      .string()
      .meta({ description: 'The address that is told', examples: ['https://study.example.org/companion'] }),
    state: z.enum(['active', 'disabled']).meta({
      description: '`disabled`: it has failed for 24 hours and is not told of anything until it is enabled',
      examples: ['active'],
    }),
    created_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'Webhook', description: 'Where a service is told that there are changes' })
export type Webhook = z.infer<typeof webhook>

/** The same with its secret, which is answered once. */
export const webhookWithSecret = webhook
  .extend({
    secret: z.string().meta({
      description: 'By which the receiver verifies messages (Standard Webhooks); it is not shown again',
      examples: ['whsec_…'],
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret' })

/** SQL for the columns of `webhook`. */
export const WEBHOOK = `id AS webhook_id, url, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END AS state,
  ${wireTime('created_at')} AS created_at`

export const SALT_BYTES = 32

/** Makes the secret that belongs to a salt. A dump of the database holds the salt alone. */
export const webhookSecrets =
  ({ hash }: Pick<Keys, 'hash'>) =>
  (salt: Buffer): string =>
    `whsec_${hash('webhook', salt.toString('hex')).toString('base64')}`

/** An operation for services with a token of their own. */
export const clientEndpoint = <const Errors extends readonly Declared[]>(
  operation: Omit<Operation, 'token' | 'right' | 'scope' | 'serviceOnly'>,
  errors: Errors,
) =>
  accountEndpoint({ ...operation, right: 'self', scope: dataScopes, serviceOnly: true }, errors).use(
    async ({ ctx, next }) => {
      const { granted } = ctx.caller
      if (!granted || !isOfClient(ctx.caller)) throw insufficientScope()
      return next({ ctx: { clientId: granted.clientId } })
    },
  )

declare module '../http/context.ts' {
  interface Context {
    /** Whether receivers must have public addresses. */
    production: boolean
  }
}

const echoed = z.object({ challenge: z.string() })

/**
 * Asks the receiver at `url` to repeat a challenge, so that nobody can point us at a receiver that is not theirs. Resolves to
 * whether it did. Throws `InvalidInput` if nothing may be sent there.
 */
export async function isVerified(
  { production }: { production: boolean },
  { url, secret }: { url: string; secret: string },
): Promise<boolean> {
  const challenge = randomBytes(32).toString('base64url')
  const content = { type: 'webhook.verify', timestamp: new Date().toISOString(), data: { challenge } }
  const signal = AbortSignal.timeout(DELIVERY_MS)
  try {
    const answer = await postWebhook(
      { url, id: randomUUID(), secrets: [secret], content },
      { production, signal },
    )
    return isSuccess(answer) && echoed.parse(JSON.parse(answer.body)).challenge === challenge
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw new InvalidInput(['url'], error.message)
    return false
  }
}
