import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { sql as raw } from 'kysely'
import type { Logger } from 'pino'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { figuresOf } from './releases.ts'
import type { Release } from './releases.ts'
import { verdictOf } from './verdict.ts'
import type { StopVerdict } from './verdict.ts'
import { repeatUntilStopped } from '../time/repeat.ts'

const LOOK_MS = 60_000

const NOT_JUDGED = 'firmware not judged, will retry'

/** In the security record, the name of the service that has stopped a release, or taken its next step. */
const SERVICE = { operator: 'companion', approvedBy: undefined }

type Judged = Pick<
  Release,
  'release_id' | 'step' | 'stop_failed' | 'stop_silent' | 'stop_contact_loss' | 'stop_shorter' | 'fewest'
>

const IS_DUE = `state = 'open' AND (judged_at IS NULL OR judged_at <= $1::timestamptz - interval '55 seconds')`

const selectDue = statement<{ release_id: number }>(
  'due-releases',
  `SELECT id AS release_id FROM firmware_release WHERE ${IS_DUE} ORDER BY id`,
)

// Each open release is judged by one process a minute, whichever comes first.
const claim = statement<Judged>(
  'claim-release',
  `UPDATE firmware_release SET judged_at = $1 WHERE id = $2 AND ${IS_DUE}
   RETURNING id AS release_id, step, stop_failed, stop_silent, stop_contact_loss, stop_shorter, fewest`,
)

export interface Judgement extends Partial<StopVerdict> {
  release_id: number
  became: 'stopped' | 'next' | 'same' | 'not judged'
  /** Why it could not be judged. */
  error?: unknown
}

interface Around {
  at: Date
  timeZone: string
}

/** Judges the open releases at `at`: stops those that do harm, and takes the next step of those that have waited. */
export async function judgeReleases(database: Database, around: Around): Promise<Judgement[]> {
  const judged: Judgement[] = []
  // One by one: a release that somebody holds, or whose figures take too long, must not keep another from being stopped.
  for (const { release_id } of await database.query(selectDue, [around.at])) {
    const judgement = await judgeRelease(database, release_id, around).catch((error: unknown) => ({
      release_id,
      became: 'not judged' as const,
      error,
    }))
    if (judgement) judged.push(judgement)
  }
  return judged
}

/** Judges one release; undefined if another process does. */
async function judgeRelease(
  database: Database,
  releaseId: number,
  { at, timeZone }: Around,
): Promise<Judgement | undefined> {
  const [release] = await database.query(claim, [at, releaseId])
  if (!release) return undefined
  const { release_id, step } = release
  const verdict = verdictOf(await figuresOf(database, release_id, { at, timeZone }), release)
  // An operator who has paused or cancelled it in the meantime is not overruled.
  const changed = await database.transaction(async (sql) => {
    if (verdict) {
      const { rows } = await raw`UPDATE firmware_release
        SET state = 'stopped', stop_reason = ${verdict.reason}, stop_detail = ${verdict.detail}, ended_at = ${at}
        WHERE id = ${release_id} AND state = 'open' RETURNING id`.execute(sql)
      if (rows.length === 0) return false
      await recordSecurityEvent(sql, SERVICE, {
        action: 'release_stop',
        reason: `release ${release_id}: ${verdict.reason}`,
      })
      return true
    }
    const { rows } = await raw`UPDATE firmware_release SET step = step + 1, step_began_at = ${at}
      WHERE id = ${release_id} AND state = 'open' AND step = ${step} AND step < cardinality(steps)
        AND step_began_at + wait_seconds * interval '1 second' <= ${at} RETURNING id`.execute(sql)
    if (rows.length === 0) return false
    await recordSecurityEvent(sql, SERVICE, {
      action: 'release_next',
      reason: `release ${release_id}, step ${step + 1}`,
    })
    return true
  })
  return verdict && changed
    ? { release_id, became: 'stopped', ...verdict }
    : { release_id, became: changed ? 'next' : 'same' }
}

/** Judges the open releases every minute until stopped; `stop` waits for the judgement that is under way. */
export function startJudgingReleases(
  database: Database,
  { timeZone, log }: { timeZone: string; log: Logger },
): { stop: () => Promise<void> } {
  return repeatUntilStopped(
    async () => {
      const judged = await judgeReleases(database, { at: new Date(), timeZone })
      for (const { release_id, became, reason, detail, error } of judged) {
        if (became === 'not judged') log.warn({ err: error, release_id }, NOT_JUDGED)
        if (detail !== undefined)
          log.error({ release_id, reason }, `release of a firmware stopped: ${detail}`)
      }
      return false
    },
    { pauseMs: LOOK_MS, onError: (error) => log.warn({ err: error }, NOT_JUDGED) },
  )
}

/** Adds the gauge of releases by their state, asked for at most once a minute and never waited for. */
export function measureReleases({ pool }: Pick<Database, 'pool'>, registry: Registry): void {
  let counts: { state: string; releases: number }[] = []
  let askedAt = -Infinity
  registry.registerMetric(
    new Gauge({
      name: 'companion_firmware_releases',
      help: 'Releases of firmware by their state; one that has stopped by itself is `stopped` until an operator cancels it.',
      labelNames: ['state'],
      // Every process of a cluster measures the same values.
      aggregator: 'max',
      registers: [],
      collect() {
        if (performance.now() - askedAt >= LOOK_MS) {
          askedAt = performance.now()
          pool
            .query<{ state: string; releases: number }>(
              `SELECT s.state, count(r.id)::int AS releases
               FROM unnest('{open,paused,stopped,cancelled}'::text[]) s (state) LEFT JOIN firmware_release r USING (state) GROUP BY 1`,
            )
            .then(
              ({ rows }) => (counts = rows),
              () => (counts = []),
            )
        }
        this.reset()
        for (const { state, releases } of counts) this.set({ state }, releases)
      },
    }),
  )
}
