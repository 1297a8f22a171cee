import { CompiledQuery } from 'kysely'
import type { Sql } from '../database/database.ts'
import { addRows, columnsOf } from './add-rows.ts'

/** The operator who runs a command, and the one who has agreed to it where two must. */
export interface Operator {
  operator: string
  approvedBy: string | undefined
}

interface Command {
  /** As it is called: `companion child transfer`. */
  operation: string
  realUserIds: readonly number[]
  /** Reads count within their minute. */
  isChange: boolean
  /** What it has replaced, as `closeOldValue` makes it. */
  oldValue?: string | null
}

const MINUTE_MS = 60_000

/** Puts a command on the trail of each child that it concerns, in the transaction of `sql`. */
export async function recordCommand(
  sql: Sql,
  { operator }: Operator,
  { operation, realUserIds, isChange, oldValue = null }: Command,
): Promise<void> {
  const now = Date.now()
  const rows = [...new Set(realUserIds)].map((realUserId) => ({
    at: isChange ? now : now - (now % MINUTE_MS),
    actor_kind: 'operator',
    actor: operator,
    operation,
    real_user_id: realUserId,
    outcome: 'ok',
    times: 1,
    is_counted: !isChange,
    old_value: oldValue,
    address_hash: null,
    request_id: null,
  }))
  if (rows.length > 0) await sql.executeQuery(CompiledQuery.raw(addRows.text, columnsOf(rows)))
}
