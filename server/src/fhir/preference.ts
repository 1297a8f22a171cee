import type { IncomingMessage } from 'node:http'

/** Whether a caller prefers this, such as `handling=strict` (RFC 7240), quoted or not, among other preferences. */
export const prefers = ({ headers }: IncomingMessage, preference: string): boolean =>
  String(headers['prefer'] ?? '')
    .split(',')
    .some((each) => (each.split(';')[0] ?? '').toLowerCase().replaceAll(/[\s"]/g, '') === preference)
