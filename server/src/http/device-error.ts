import type { IncomingMessage } from 'node:http'
import { DamagedBody } from '../errors/damaged-body.ts'
import { generic } from '../errors/generic.ts'
import { splitRequestTarget } from './request.ts'
import type { ValidationIssue } from './validation-issues.ts'

/** Whether a device makes this call: firmware with a small parser, and no browser. */
export const isDeviceCall = ({ url }: Pick<IncomingMessage, 'url'>): boolean =>
  url?.startsWith('/api/v1/gamma/') ?? false

/** Whether a request was meant to be such a call: one whose path is only nearly right is told the same way. */
export const looksLikeDeviceCall = (request: Pick<IncomingMessage, 'url'>): boolean =>
  isDeviceCall(request) || /\/gamma(?:\/|$)/i.test(decoded(splitRequestTarget(request).path))

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The values of `X-Error` on errors of device calls, with the advice that docs/contract.md gives for each. */
export const deviceErrors = {
  clock:
    'The clock is wrong: take the time from `GET /api/v1/gamma/device/time`, correct the records, send again.',
  invalid: 'The call or a record is malformed: sending it again does not help.',
  'unknown-device': 'The service does not know the device.',
  'not-connected': 'No child wears the device: keep the records until it is connected.',
  'no-records': 'The device has no records there.',
  'not-allowed': 'The access token is not valid, or not for this device.',
  'not-found': 'There is no such path or method, or the firmware is not for this device.',
  'too-large': 'Send fewer records at once.',
  'too-many': 'Wait for `Retry-After` seconds.',
  busy: 'The service cannot answer now: wait, longer each time, and send again.',
} as const

export type DeviceError = keyof typeof deviceErrors

const byText: Record<string, DeviceError> = {
  'Not Found Device': 'unknown-device',
  'Failed to read detail event': 'unknown-device',
  'Device Log not found': 'no-records',
  [generic.notFound[1]]: 'not-found',
}

const byStatus: Record<number, DeviceError> = {
  401: 'not-allowed',
  404: 'not-found',
  405: 'not-found',
  408: 'busy',
  409: 'not-connected',
  413: 'too-large',
  416: 'invalid',
  423: 'not-allowed',
  429: 'too-many',
}

/**
 * Returns the one word for an error. An upload with an issue of the clock is `clock`, even if it has other issues. A body that
 * was damaged on its way is `busy`: the device sends the same again.
 */
export function deviceError(
  status: number,
  detail: string | readonly ValidationIssue[],
  error?: unknown,
): DeviceError {
  if (error instanceof Error && error.cause instanceof DamagedBody) return 'busy'
  if (typeof detail !== 'string') return detail.some(({ type }) => type === 'clock') ? 'clock' : 'invalid'
  return byText[detail] ?? byStatus[status] ?? (status >= 500 ? 'busy' : 'invalid')
}
