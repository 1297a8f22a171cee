import { BurstyRateLimiter, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Pool, QueryConfig } from 'pg'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How often something may be done, by name: `points` within `seconds`, counted from the first. */
const budgets = {
  smsPerPhoneMinute: { points: 1, seconds: MINUTE },
  smsPerPhoneBurst: { points: 2, seconds: HOUR },
  smsPerPhoneHour: { points: 5, seconds: HOUR },
  smsPerAddress: { points: 20, seconds: HOUR },
  wrongCodesPerPhone: { points: 10, seconds: HOUR },
  /** Of the whole service; the configuration says how many. */
  smsPerDay: { points: 1_000_000_000, seconds: DAY },
  resetMailsPerEmail: { points: 3, seconds: HOUR },
  failedSignInsPerAccount: { points: 10, seconds: 15 * MINUTE },
  unknownDevicesPerAddress: { points: 20, seconds: 10 * MINUTE },
  /** Anybody can send records that cannot be stored; keeping them must not fill the disk. */
  keptRejectionBytesPerAddress: { points: 1_000_000, seconds: DAY },
} as const

type Budget = keyof typeof budgets | 'smsPerPhone'

export interface Limits {
  /** Counts `points` uses of `budget` by `key`, or throws 429 with Retry-After when it is used up. */
  consume(budget: Budget, key: string, points?: number): Promise<void>
  /** Seconds for which this process knows `budget` to be used up by `key`; 0 when it may be consumed. */
  usedUpFor(budget: Budget, key: string): number
  /**
   * Counts one upload of each of `devices`, in this process alone: the path is too hot for the database. Throws 429 when
   * one of them sends without pause.
   */
  countUploads(devices: ReadonlySet<string>): void
  /** Gives one use back. */
  giveBack(budget: keyof typeof budgets, key: string): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    limits: Limits
  }
}

const MOST_UPLOADS_A_MINUTE = 120
/** Of those who need no token there is no end. */
const MOST_COUNTED = 100_000

function uploadCounter(): Limits['countUploads'] {
  const counts = new Map<string, number>()
  let minute = 0
  return (devices) => {
    const now = Date.now() / 1000
    if (Math.floor(now / MINUTE) !== minute || counts.size > MOST_COUNTED) {
      minute = Math.floor(now / MINUTE)
      counts.clear()
    }
    for (const device of devices) {
      const count = (counts.get(device) ?? 0) + 1
      if (count > MOST_UPLOADS_A_MINUTE) {
        throw new Failure(...generic.tooMany, {
          headers: { 'retry-after': String(Math.ceil(MINUTE - (now % MINUTE))) },
        })
      }
      counts.set(device, count)
    }
  }
}

/** Limits that all processes share through PostgreSQL. `hashKey` keeps phone numbers and addresses out of the table. */
export function createLimits(
  pool: Pool,
  hashKey: (key: string) => Buffer,
  { smsDailyCap, namedStatements }: { smsDailyCap: number | undefined; namedStatements: boolean },
): Limits {
  // The library names its statements, which not every pooler keeps.
  const unnamed = { query: ({ name: _name, ...query }: QueryConfig) => pool.query(query) }
  const limiter = (name: keyof typeof budgets, points: number = budgets[name].points) =>
    new RateLimiterPostgres({
      storeClient: namedStatements ? pool : unnamed,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points,
      duration: budgets[name].seconds,
    })
  const limiters = {
    smsPerPhoneHour: limiter('smsPerPhoneHour'),
    smsPerAddress: limiter('smsPerAddress'),
    wrongCodesPerPhone: limiter('wrongCodesPerPhone'),
    smsPerDay: limiter('smsPerDay', smsDailyCap),
    resetMailsPerEmail: limiter('resetMailsPerEmail'),
    failedSignInsPerAccount: limiter('failedSignInsPerAccount'),
    unknownDevicesPerAddress: limiter('unknownDevicesPerAddress'),
    keptRejectionBytesPerAddress: limiter('keptRejectionBytesPerAddress'),
    smsPerPhoneMinute: limiter('smsPerPhoneMinute'),
    smsPerPhoneBurst: limiter('smsPerPhoneBurst'),
  }
  // Three at once, then one a minute: one each minute, and two more.
  const all = {
    ...limiters,
    smsPerPhone: new BurstyRateLimiter(limiters.smsPerPhoneMinute, limiters.smsPerPhoneBurst),
  }
  const hash = (key: string) => hashKey(key).toString('base64url')
  const usedUp = new Map<string, number>()
  const keepUsedUp = (name: string, until: number) => {
    if (usedUp.size >= MOST_COUNTED) usedUp.clear()
    usedUp.set(name, until)
  }
  return {
    countUploads: uploadCounter(),
    async consume(budget, key, points = 1) {
      try {
        await all[budget].consume(hash(key), points)
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
        keepUsedUp(`${budget} ${key}`, Date.now() + seconds * 1000)
        throw new Failure(...generic.tooMany, { headers: { 'retry-after': String(seconds) } })
      }
    },
    usedUpFor(budget, key) {
      const name = `${budget} ${key}`
      const seconds = Math.ceil(((usedUp.get(name) ?? 0) - Date.now()) / 1000)
      if (seconds > 0) return seconds
      usedUp.delete(name)
      return 0
    },
    async giveBack(budget, key) {
      await limiters[budget].reward(hash(key))
    },
  }
}

/** For load tests and the like: everything is allowed. */
export const noLimits: Limits = {
  consume: async () => {},
  usedUpFor: () => 0,
  countUploads: () => {},
  giveBack: async () => {},
}
