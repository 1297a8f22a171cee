import { isOffline } from '@companion/sdk'
import type { OutboxError } from '@companion/sdk'
import { detailOf } from '../companion/error-detail'
import type { Texts } from './en'

/** What to tell the user about a failed call. The service's texts are for programs; these are for people. */
export function describeFailure(error: unknown, t: Texts): string {
  if (isOffline(error)) return t.states.offline
  const detail = detailOf(error)
  if (Array.isArray(detail)) return t.invalidInput
  return (
    (typeof detail === 'string' && Object.hasOwn(t.failures, detail) && t.failures[detail]) || t.unexpected
  )
}

/** Whether the account is blocked, which only support can change. */
export const isBlocked = (error: unknown) => detailOf(error) === 'Access denied. Account blocked'

/** What to tell the user about an item that the outbox has rejected. */
export const describeOutboxError = ({ status, detail }: OutboxError, t: Texts): string =>
  status === 422 ? t.invalidInput : describeFailure({ data: { detail } }, t)
