/**
 * Says in a sentence why the database at `url` cannot be used, if an error is about its connection; undefined otherwise.
 * Names no password. Without `url`, the database is the embedded one.
 */
export function connectionFault(error: unknown, url: string | undefined): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = String(Reflect.get(cause, 'code'))
    const reason = /timeout|terminated/i.test(cause.message) ? 'it does not answer' : reasons[code]
    if (reason === undefined) continue
    const where = url === undefined ? 'The embedded database' : `The database at ${new URL(url).host}`
    return `${where} cannot be used: ${reason}${url === undefined ? '' : ' (DATABASE_URL)'}`
  }
  return undefined
}

const reasons: Partial<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of its host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ECONNRESET: 'it closes the connection',
  '28P01': 'it refuses the user name or the password',
  '28000': 'it refuses this user',
  '3D000': 'it has no database of this name',
  '53300': 'it takes no more connections',
  '57P03': 'it is starting or shutting down',
  '25006': 'it takes no writes',
}
