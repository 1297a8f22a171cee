/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Webhook, WebhookWithSecret } from '../types.ts'
import type {
  CreateWebhookInput,
  DeleteWebhookInput,
  EnableWebhookInput,
  PingWebhookInput,
  RotateSecretInput,
} from './inputs.ts'
import type {
  CreateWebhookError,
  DeleteWebhookError,
  EnableWebhookError,
  ListWebhookError,
  PingWebhookError,
  RotateSecretError,
} from './errors.ts'

export interface WebhooksOperations {
  /**
   * Be told when there are changes.
   *
   * For a service, with a token of its own (client_credentials). The receiver is first asked to verify itself: it gets
   * `{"type": "webhook.verify", "timestamp", "data": {"challenge"}}` and answers 2xx with `{"challenge"}`. A message
   * about changes is `{"type": "changes.available", "timestamp", "data": {"cursor"}}`, at most one a second; the
   * changes behind that cursor are the news. Messages are signed by Standard Webhooks.
   *
   * Contract: `POST /api/v1/beta/webhook`.
   *
   * @param input
   * - `url`: Such as `https://study.example.org/companion`. 1 to 1,000 characters.
   * @returns A webhook with its secret.
   * - `webhook_id`: The id of the webhook.
   * - `url`: The address that is told. Such as `https://study.example.org/companion`.
   * - `state`: `disabled`: it has failed for 24 hours, or answered 410, and is not told of anything until it is
   *   enabled. Such as `active`.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `last_delivered_at`: When its receiver last accepted a message about changes. Such as `2026-03-01T21:04:05.678Z`.
   * - `failing_since`: Since when messages have failed; null once one was accepted. Such as `2026-03-01T21:04:05.678Z`.
   * - `last_fault`: Why the last message failed, such as `no connection`, `no answer in 5 s` or `status 500`; null once
   *   one was accepted. Such as `status 500`.
   * - `next_try_at`: When a message that has failed is tried again. Such as `2026-03-01T21:04:05.678Z`.
   * - `secret`: By which the receiver verifies messages (Standard Webhooks); it is not shown again. Such as `whsec_…`.
   * @throws 409 `Too many webhooks`: a service has at most five
   * @throws 409 `Already registered webhook`: a webhook of the service has this address
   * @throws 409 `Webhook verification failed`: the receiver has not repeated the challenge within 5 seconds;
   * `X-Webhook-Fault` says in a few words what went wrong
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  create: (
    input: CreateWebhookInput,
    options?: CallOptions,
  ) => CompanionCall<WebhookWithSecret, CreateWebhookError>

  /**
   * The webhooks of the service.
   *
   * At most five, without their secrets.
   *
   * Contract: `GET /api/v1/beta/webhook`.
   *
   * @returns for each:
   * - `webhook_id`: The id of the webhook.
   * - `url`: The address that is told. Such as `https://study.example.org/companion`.
   * - `state`: `disabled`: it has failed for 24 hours, or answered 410, and is not told of anything until it is
   *   enabled. Such as `active`.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `last_delivered_at`: When its receiver last accepted a message about changes. Such as `2026-03-01T21:04:05.678Z`.
   * - `failing_since`: Since when messages have failed; null once one was accepted. Such as `2026-03-01T21:04:05.678Z`.
   * - `last_fault`: Why the last message failed, such as `no connection`, `no answer in 5 s` or `status 500`; null once
   *   one was accepted. Such as `status 500`.
   * - `next_try_at`: When a message that has failed is tried again. Such as `2026-03-01T21:04:05.678Z`.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => CompanionCall<Webhook[], ListWebhookError>

  /**
   * Delete a webhook.
   *
   * It is told of no further changes. A message that is on its way may still arrive.
   *
   * Contract: `DELETE /api/v1/beta/webhook/{webhook_id}`.
   *
   * @throws 404 `Webhook not found`: no webhook of the service has this id
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  delete: (input: DeleteWebhookInput, options?: CallOptions) => CompanionCall<Done, DeleteWebhookError>

  /**
   * Replace the secret of a webhook.
   *
   * For 24 hours messages have two signatures, one by each secret.
   *
   * Contract: `POST /api/v1/beta/webhook/{webhook_id}/rotate-secret`.
   *
   * @returns A webhook with its secret.
   * - `webhook_id`: The id of the webhook.
   * - `url`: The address that is told. Such as `https://study.example.org/companion`.
   * - `state`: `disabled`: it has failed for 24 hours, or answered 410, and is not told of anything until it is
   *   enabled. Such as `active`.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `last_delivered_at`: When its receiver last accepted a message about changes. Such as `2026-03-01T21:04:05.678Z`.
   * - `failing_since`: Since when messages have failed; null once one was accepted. Such as `2026-03-01T21:04:05.678Z`.
   * - `last_fault`: Why the last message failed, such as `no connection`, `no answer in 5 s` or `status 500`; null once
   *   one was accepted. Such as `status 500`.
   * - `next_try_at`: When a message that has failed is tried again. Such as `2026-03-01T21:04:05.678Z`.
   * - `secret`: By which the receiver verifies messages (Standard Webhooks); it is not shown again. Such as `whsec_…`.
   * @throws 404 `Webhook not found`: no webhook of the service has this id
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  rotateSecret: (
    input: RotateSecretInput,
    options?: CallOptions,
  ) => CompanionCall<WebhookWithSecret, RotateSecretError>

  /**
   * Tell a disabled webhook of changes again.
   *
   * The receiver is asked to verify itself, as when the webhook was created.
   *
   * Contract: `POST /api/v1/beta/webhook/{webhook_id}/enable`.
   *
   * @returns Where a service is told that there are changes.
   * - `webhook_id`: The id of the webhook.
   * - `url`: The address that is told. Such as `https://study.example.org/companion`.
   * - `state`: `disabled`: it has failed for 24 hours, or answered 410, and is not told of anything until it is
   *   enabled. Such as `active`.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `last_delivered_at`: When its receiver last accepted a message about changes. Such as `2026-03-01T21:04:05.678Z`.
   * - `failing_since`: Since when messages have failed; null once one was accepted. Such as `2026-03-01T21:04:05.678Z`.
   * - `last_fault`: Why the last message failed, such as `no connection`, `no answer in 5 s` or `status 500`; null once
   *   one was accepted. Such as `status 500`.
   * - `next_try_at`: When a message that has failed is tried again. Such as `2026-03-01T21:04:05.678Z`.
   * @throws 404 `Webhook not found`: no webhook of the service has this id
   * @throws 409 `Webhook verification failed`: the receiver has not repeated the challenge within 5 seconds;
   * `X-Webhook-Fault` says in a few words what went wrong
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  enable: (input: EnableWebhookInput, options?: CallOptions) => CompanionCall<Webhook, EnableWebhookError>

  /**
   * Try a webhook out.
   *
   * The receiver is asked to verify itself, as when the webhook was created. Nothing changes, whatever it answers; a
   * disabled webhook stays so.
   *
   * Contract: `POST /api/v1/beta/webhook/{webhook_id}/ping`.
   *
   * @throws 404 `Webhook not found`: no webhook of the service has this id
   * @throws 409 `Webhook verification failed`: the receiver has not repeated the challenge within 5 seconds;
   * `X-Webhook-Fault` says in a few words what went wrong
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  ping: (input: PingWebhookInput, options?: CallOptions) => CompanionCall<Done, PingWebhookError>
}

export const webhooksMethods: Record<keyof WebhooksOperations, MethodKind> = {
  create: mutationMethod,
  list: queryMethodWithoutInput,
  delete: mutationMethod,
  rotateSecret: mutationMethod,
  enable: mutationMethod,
  ping: mutationMethod,
}
