import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { insufficientScope, isClientCredentialsCaller } from '../auth/tokens/grant-token.ts'
import type { Keys } from '../auth/keys.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { DELIVERY_TIMEOUT_MS } from '../delivery/timeout.ts'
import { connectionFailureText, isSuccess, postWebhook, statusFailureText } from '../delivery/post-webhook.ts'
import { ForbiddenAddress } from '../delivery/webhook-address.ts'
import { webhookChallengeResponseSchema } from '../delivery/webhook-event.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import type { Operation } from '../http/endpoint.ts'
import { dataScopes } from '../http/scope.ts'
import { InvalidInput } from '../http/validation-issues.ts'

const time = z
  .string()
  .nullable()
  .meta({ format: 'date-time', examples: ['2026-03-01T21:04:05.678Z'] })

/** A webhook as it is answered. */
export const webhookSchema = z
  .object({
    webhook_id: z.int().meta({ description: 'The id of the webhook', examples: [4] }),
    url: z
      .string()
      .meta({ description: 'The address that is told', examples: ['https://study.example.org/companion'] }),
    state: z.enum(['active', 'disabled']).meta({
      description:
        '`disabled`: it has failed for 24 hours, or answered 410, and is not told of anything until it is enabled',
      examples: ['active'],
    }),
    created_at: z.string().meta({ format: 'date-time' }),
    last_delivered_at: time.meta({ description: 'When its receiver last accepted a message about changes' }),
    failing_since: time.meta({ description: 'Since when messages have failed; null once one was accepted' }),
    last_fault: z
      .string()
      .nullable()
      .meta({
        description:
          'Why the last message failed, such as `no connection`, `no answer in 5 s` or `status 500`; null once one was accepted',
        examples: ['status 500'],
      }),
    next_try_at: time.meta({ description: 'When a message that has failed is tried again' }),
  })
  .meta({ id: 'Webhook', description: 'Where a service is told that there are changes' })
export type Webhook = z.infer<typeof webhookSchema>

/** The same with its secret, which is answered once. */
export const webhookWithSecret = webhookSchema
  .extend({
    secret: z.string().meta({
      description: 'By which the receiver verifies messages (Standard Webhooks); it is not shown again',
      examples: ['whsec_…'],
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret' })

/** SQL for the columns of `webhook`. */
export const WEBHOOK_COLUMNS = `id AS webhook_id, url, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END AS state,
  ${isoTimestampSql('created_at')} AS created_at, ${isoTimestampSql('delivered_at')} AS last_delivered_at,
  ${isoTimestampSql('failing_since')} AS failing_since, last_fault,
  ${isoTimestampSql('CASE WHEN failing_since IS NOT NULL THEN due_at END')} AS next_try_at`

export const WEBHOOK_SALT_BYTES = 32

/** Makes the secret that belongs to a salt. A dump of the database holds the salt alone. */
export const webhookSecrets =
  ({ hash }: Pick<Keys, 'hash'>) =>
  (salt: Buffer): string =>
    `whsec_${hash('webhook', salt.toString('hex')).toString('base64')}`

/** An operation for services with a token of their own. */
export const clientTokenEndpoint = <const Errors extends readonly ErrorDeclaration[]>(
  operation: Omit<Operation, 'token' | 'right' | 'scope' | 'serviceOnly'>,
  errors: Errors,
) =>
  accountEndpoint(
    // Of any account, another kind of token is not enough.
    { ...operation, right: 'self', accounts: 'all', scope: dataScopes, serviceOnly: true },
    errors,
  ).use(async ({ ctx, next }) => {
    const { granted } = ctx.caller
    if (!granted || !isClientCredentialsCaller(ctx.caller)) throw insufficientScope()
    return next({ ctx: { clientId: granted.clientId } })
  })

declare module '../http/context.ts' {
  interface Context {
    /** Whether receivers must have public addresses. */
    production: boolean
  }
}

const echoIn = (body: string): string | undefined => {
  try {
    return webhookChallengeResponseSchema.safeParse(JSON.parse(body)).data?.challenge
  } catch {
    return undefined
  }
}

/** The error of an operation that asks a receiver to verify itself. */
export const webhookUnverifiedError = [
  409,
  'Webhook verification failed',
  'the receiver has not repeated the challenge within 5 seconds; `X-Webhook-Fault` says in a few words what went wrong',
] as const satisfies ErrorDeclaration

/**
 * Asks the receiver at `url` to repeat a challenge, so that nobody can point us at a receiver that is not theirs. Throws
 * `webhookUnverifiedError` if it does not, and `InvalidInput` if nothing may be sent there.
 */
export async function challengeReceiver(
  { production, request }: Pick<Context, 'production' | 'request'>,
  { url, secret }: { url: string; secret: string },
): Promise<void> {
  const challenge = randomBytes(32).toString('base64url')
  const content = {
    type: 'webhook.verify' as const,
    timestamp: new Date().toISOString(),
    data: { challenge },
  }
  const signal = AbortSignal.timeout(DELIVERY_TIMEOUT_MS)
  const reason = await postWebhook(
    { url, id: randomUUID(), secrets: [secret], content },
    { production, signal },
  ).then(
    (response) => {
      if (!isSuccess(response)) return statusFailureText(response)
      return echoIn(response.body) === challenge ? undefined : 'challenge differs'
    },
    (error: unknown) => {
      if (error instanceof ForbiddenAddress) throw new InvalidInput(['url'], error.message)
      return connectionFailureText(error)
    },
  )
  if (reason === undefined) return
  request.responseHeader('x-webhook-fault', reason)
  throw new Failure(...webhookUnverifiedError)
}

const selectReceiver = statement<{ url: string; salt: Buffer }>(
  'webhook-receiver',
  'SELECT url, salt FROM webhook WHERE id = $1 AND client_id = $2',
)

/** Asks the receiver of a webhook of the service to verify itself. Resolves to whether there is such a webhook. */
export async function verifyWebhookAgain(
  ctx: Pick<Context, 'database' | 'keys' | 'production' | 'request'> & { clientId: number },
  webhookId: number,
): Promise<boolean> {
  const [receiver] = await ctx.database.query(selectReceiver, [webhookId, ctx.clientId])
  if (!receiver) return false
  await challengeReceiver(ctx, { url: receiver.url, secret: webhookSecrets(ctx.keys)(receiver.salt) })
  return true
}
