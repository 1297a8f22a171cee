import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@companion/server/database/database.ts'
import { devlogItem, PASSWORD } from '../support/family.ts'

const TIMEOUT_MS = 20_000
const NIGHT = '2026-03-02T21:30:00'
const DAY = '2026-03-02'
/** How long a device rests between two logs, and a parent between two calls: the machine shall not be the limit. */
const REST_MS = 50

export interface Parent {
  email: string
  realUserId: number
}

/** A response, or the fate of its connection. */
export interface Answered {
  kind: string
  /** When the call began, and how long it took, in milliseconds of `performance.now()`. */
  at: number
  ms: number
  /** The status, with the body if it was not 200. */
  outcome: string
}

export interface Everyday {
  answered: readonly Answered[]
  /** Of these devices and children: what was acknowledged and is not there, is there twice, or differs. */
  finish: (database: Database) => Promise<string[]>
}

/**
 * Lives with a service until it is finished: devices upload log after log and repeat each until it is acknowledged;
 * parents sign in, read, save a note, read it back and refresh their tokens, and repeat each call until it is answered.
 */
export function liveEveryday(
  origin: string,
  devices: readonly string[],
  parents: readonly Parent[],
): Everyday {
  const answered: Answered[] = []
  const wrong: string[] = []
  const over = new AbortController()

  async function call(kind: string, path: string, init: RequestInit): Promise<any> {
    for (;;) {
      const at = performance.now()
      const [outcome, body] = await fetch(origin + path, {
        ...init,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).then(
        async (response) => {
          const text = await response.text()
          return response.ok ? ['200', JSON.parse(text)] : [`${response.status} ${text}`, undefined]
        },
        (error: unknown) => [String(error), undefined],
      )
      answered.push({ kind, at, ms: performance.now() - at, outcome })
      await pause(REST_MS)
      if (outcome === '200') return body
    }
  }

  const post = (json: unknown, headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  })

  const logs = devices.map(async (unique_id) => {
    let sent = 0
    for (; !over.signal.aborted; sent += 1) {
      const item = devlogItem(unique_id, NIGHT, { log_file_id: sent })
      await call('upload', '/api/v1/gamma/device/devlog', post([item]))
    }
    return { unique_id, sent }
  })

  const notes = parents.map(async ({ email, realUserId }) => {
    let saved = 0
    let pair: { access_token: string; refresh_token: string } | undefined
    for (; !over.signal.aborted; saved += 1) {
      pair = await (pair && saved % 3 > 0
        ? call(
            'refresh',
            '/api/v1/alpha/auth/refresh-token',
            post(
              { refresh_token: pair.refresh_token },
              { 'idempotency-key': `${email} ${saved}`.padEnd(16) },
            ),
          )
        : call('sign in', '/api/v1/alpha/auth/email/signin', {
            method: 'POST',
            body: new URLSearchParams({ username: email, password: PASSWORD }),
          }))
      const authorization = `Bearer ${pair?.access_token}`
      const get = { headers: { authorization } }
      await call('me', '/api/v1/beta/user/me', get)
      const chart = `real_user_id=${realUserId}&select_mode=1&current_date=${DAY}`
      await call('chart', `/api/v1/beta/chart/recent?${chart}`, get)
      const memo = `note ${saved}`
      const note = { real_user_id: realUserId, created_at: DAY, memo }
      await call('note', '/api/v1/beta/event', post(note, { authorization }))
      const day = `real_user_id=${realUserId}&event_date=${DAY}`
      const read = await call('day', `/api/v1/beta/event?${day}`, get)
      if (read.memo !== memo) wrong.push(`${email} read ${read.memo} after ${memo}`)
    }
    return { realUserId, saved }
  })

  return {
    answered,
    async finish({ pool, keyRing }) {
      over.abort()
      for (const { unique_id, sent } of await Promise.all(logs)) {
        const { rows } = await pool.query(
          `SELECT array_agg(log_file_id ORDER BY log_file_id) AS stored FROM treatment
           WHERE device_id = (SELECT id FROM device WHERE unique_id = $1) AND treatment_date = $2`,
          [unique_id, NIGHT],
        )
        const expected = Array.from({ length: sent }, (_, n) => n)
        if (JSON.stringify(rows[0].stored) !== JSON.stringify(expected))
          wrong.push(`${unique_id} sent ${sent} logs, stored are ${rows[0].stored}`)
      }
      for (const { realUserId, saved } of await Promise.all(notes)) {
        const { rows } = await pool.query(
          `SELECT memo, version, (SELECT count(*)::int FROM event_version v WHERE v.event_id = e.id) AS older
           FROM event e WHERE real_user_id = $1 AND event_date = $2`,
          [realUserId, DAY],
        )
        const stored = rows.map((row) => ({ ...row, memo: keyRing.decrypt('event.memo', row.memo) }))
        const expected = [{ memo: `note ${saved - 1}`, version: saved, older: saved - 1 }]
        if (JSON.stringify(stored) !== JSON.stringify(expected))
          wrong.push(`child ${realUserId} has ${JSON.stringify(stored)} after ${saved} notes`)
      }
      return wrong
    },
  }
}
