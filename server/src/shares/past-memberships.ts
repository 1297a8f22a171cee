import { sql } from 'kysely'
import type { PurgedKind } from '../retention/kinds.ts'
import { today } from '../time/wall-clock.ts'

const MOST_AT_ONCE = 1000

/**
 * Ends the memberships whose last day is over, which are out of force already, and tells their members: each once, however many
 * processes do this, because one of them sets `ended_at`.
 */
export const pastMembershipsToEnd = ({ timeZone }: { timeZone: string }): Record<string, PurgedKind> => ({
  past_memberships: {
    take: async (tx) => {
      const { rows } = await sql`
        WITH ended AS (
          UPDATE membership SET ended_at = now() WHERE id = ANY (ARRAY(
            SELECT id FROM membership WHERE ended_at IS NULL AND until < ${today(timeZone)}
            ORDER BY until LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED))
          RETURNING root_user_id, real_user_id
        )
        SELECT tell_access_ended(ARRAY[root_user_id], real_user_id) FROM ended`.execute(tx)
      return rows.length
    },
  },
})
