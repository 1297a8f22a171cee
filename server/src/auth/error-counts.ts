import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { networkOf } from '../limits/network.ts'
import { countSecurityEvent, toSecurityRecordRow } from './security-record.ts'
import type { SecurityEvent } from './security-record.ts'

/** Errors that anybody can cause as often as they like, which therefore must not make a row each. */
export interface AuthErrorCounts {
  /** Counts an error into the row of its minute, client, action, reason, and account or phone number. */
  count(origin: Pick<Context, 'request' | 'keys' | 'database'>, error: SecurityEvent): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    errorCounts: AuthErrorCounts
  }
}

const MINUTE_MS = 60_000
/** In a minute, by one process; beyond, only the metric counts. */
const MOST_ROWS = 10_000

/** A row of this minute: how often it is to be counted next, and the writing that will do so or has done so last. */
interface Row {
  due: number
  next: Promise<void> | undefined
  last: Promise<void>
}

/** A process writes each row once at a time: errors that come in between are counted by the next writing, all at once. */
export function createErrorCounts(database: Pick<Database, 'sql'>): AuthErrorCounts {
  const rows = new Map<string, Row>()
  let minute = 0
  return {
    count(origin, error) {
      countSecurityEvent(error)
      const now = Math.floor(Date.now() / MINUTE_MS)
      if (now !== minute) rows.clear()
      minute = now
      const network = networkOf(origin.request.address)
      const { action, reason, rootUserId, phone } = error
      const key = JSON.stringify([network, action, reason, rootUserId, phone])
      const row: Row = rows.get(key) ?? { due: 0, next: undefined, last: Promise.resolve() }
      if (rows.size >= MOST_ROWS && !rows.has(key)) return Promise.resolve()
      rows.set(key, row)
      row.due += 1
      row.next ??= row.last.then(() => {
        const times = row.due
        row.due = 0
        row.next = undefined
        const from = { ...origin, request: { ...origin.request, address: network } }
        const written = write(database, {
          ...toSecurityRecordRow(from, error, { counts: true }),
          minute: new Date(now * MINUTE_MS),
          times,
        })
        row.last = written.catch(() => undefined)
        return written
      })
      return row.next
    },
  }
}

type Values = ReturnType<typeof toSecurityRecordRow> & { minute: Date; times: number }

async function write(database: Pick<Database, 'sql'>, values: Values): Promise<void> {
  const isEncrypted = 'address_hash' in values && values.address_hash !== null
  const client = sql.ref(isEncrypted ? 'address_hash' : 'address')
  await database.sql
    .insertInto('security_record')
    .values(values)
    .onConflict((conflict) =>
      conflict
        // The index `security_record_minute_hash`, or `security_record_minute`.
        .expression(
          sql`minute, ${client}, action, reason, coalesce(root_user_id, 0), coalesce(phone_hash, '\\x')`,
        )
        .where('minute', 'is not', null)
        .$call((target) => (isEncrypted ? target.where('address_hash', 'is not', null) : target))
        .doUpdateSet({ times: sql`security_record.times + excluded.times` }),
    )
    .execute()
}
