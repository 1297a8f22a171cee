import { BurstyRateLimiter, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Pool, QueryConfig } from 'pg'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { networkOf, siteNetwork } from './network.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How often something may be done, by name: `points` within `seconds`, counted from the first. */
const budgets = {
  smsPerPhoneMinute: { points: 1, seconds: MINUTE },
  smsPerPhoneBurst: { points: 2, seconds: HOUR },
  smsPerPhoneHour: { points: 5, seconds: HOUR },
  smsPerAddress: { points: 20, seconds: HOUR },
  /** Of 10,000 neighbouring numbers, which who sells calls to them owns. */
  smsPerBlock: { points: 20, seconds: HOUR },
  wrongCodesPerPhone: { points: 10, seconds: HOUR },
  /** Of the whole service; the configuration says how many. */
  smsPerDay: { points: 1_000_000_000, seconds: DAY },
  resetMailsPerEmail: { points: 3, seconds: HOUR },
  /** Mails to the account's address, or to one that is to replace it. */
  confirmationMailsPerAccount: { points: 3, seconds: HOUR },
  invitationsPerAccount: { points: 10, seconds: DAY },
  exportsPerAccount: { points: 3, seconds: HOUR },
  /** Failed sign-ins, refreshes and code checks, and requests to reset a password, over all accounts. */
  failuresPerAddress: { points: 100, seconds: 10 * MINUTE },
  failedSignInsPerAccount: { points: 10, seconds: 15 * MINUTE },
  wrongClinicCodesPerAccount: { points: 10, seconds: 15 * MINUTE },
  /** Each begun authorization of a service keeps two rows for an hour. */
  authorizationsPerAddress: { points: 100, seconds: 10 * MINUTE },
  unknownDevicesPerAddress: { points: 20, seconds: 10 * MINUTE },
  /** Anybody can send records that cannot be stored; keeping them must not fill the disk. */
  keptRejectionBytesPerAddress: { points: 1_000_000, seconds: DAY },
} as const

type Name = keyof typeof budgets
type Reversible = Exclude<Name, 'smsPerPhoneMinute' | 'smsPerPhoneBurst'>
type Budget = Reversible | 'smsPerPhone'

/** The holder of an IPv6 /48 has 65,536 networks with a count each; together these networks get this many budgets. */
const NETWORKS_PER_SITE = 10

export interface RateLimits {
  /**
   * Counts `points` uses of `budget` by `key`, or throws 429 with Retry-After when it is used up. A budget per address
   * takes the address itself for a key, and counts it by its network.
   */
  consume(budget: Budget, key: string, points?: number): Promise<void>
  /** Seconds for which this process knows `budget` to be used up by `key`; 0 when it may be consumed. */
  usedUpFor(budget: Budget, key: string): number
  /**
   * Counts one upload of each of `devices` (or base stations), in this process alone: the path is too hot for the
   * database. Throws 429 when one of them sends without pause.
   */
  countUploads(devices: ReadonlySet<string>): void
  /**
   * Counts in the same way the bytes that bodies from one network have grown by when they were unpacked, which cost its senders
   * nothing.
   */
  countUnpacked(address: string, bytes: number): void
  /**
   * Counts a change by an account in the same way: what is kept of it (versions of notes, consents, the security record)
   * has no end.
   */
  countChange(rootUserId: number): void
  /**
   * Counts a call of another service in the same way, by the grant (or the service) that it rests on. Returns the headers that
   * tell what is left (the IETF's draft of RateLimit headers), and throws 429 with them when nothing is.
   */
  countGrantCall(key: string): Record<string, string>
  /**
   * Counts a try to sign in to an account from an address that it is not known by, or throws 429 when 100 in a row have
   * failed; `resetUnknownIpFailures` ends the row.
   */
  countUnknownIpFailure(rootUserId: number): Promise<void>
  /**
   * Counts a code that is about to be sent by SMS to `country`, or throws 429 while too few of those sent there are
   * entered. Resolves to the id by which `sent_code` is told that this one was.
   */
  countSmsCode(country: string): Promise<bigint | undefined>
  /** Gives one use back. */
  giveBack(budget: Reversible, key: string): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    limits: RateLimits
  }
}

const tooMany = (seconds: number, headers: Record<string, string> = {}) =>
  new Failure(...generic.tooMany, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))), ...headers },
  })

const MOST_STRANGERS = 100
/** Nobody knows when the holder comes; until then it is of no use to ask again. */
const STRANGER_WAIT = HOUR

const countUnknownIpFailure = `INSERT INTO unknown_ip_failures AS s (root_user_id, failures) VALUES ($1, 1)
  ON CONFLICT (root_user_id) DO UPDATE SET failures = s.failures + 1 WHERE s.failures < ${MOST_STRANGERS}
  RETURNING failures`

const countSmsCode = 'SELECT sent_code_id, wait_seconds, has_stopped FROM count_sms_code($1, $2)'

interface CountedCode {
  sent_code_id: string | null
  wait_seconds: number | null
  has_stopped: boolean
}

const stops = new Counter({
  name: 'companion_sms_country_stops_total',
  help: 'Countries to which codes by SMS were stopped for an hour, because fewer than a tenth were entered.',
  labelNames: ['country'],
})

const MOST_A_MINUTE = 120
/** Anyone can send these calls, so the number of callers is unlimited. */
const MOST_COUNTED = 100_000

const MOST_GRANT_CALLS = 600
const MOST_UNPACKED_A_MINUTE = 100_000_000

/** Counts by the minute. Returns how often `who` has been counted, and in how many seconds the minute ends. */
function minuteCounter(): (who: string | number, points?: number) => { count: number; seconds: number } {
  const counts = new Map<string | number, number>()
  let minute = 0
  return (who, points = 1) => {
    const now = Date.now() / 1000
    if (Math.floor(now / MINUTE) !== minute || counts.size > MOST_COUNTED) {
      minute = Math.floor(now / MINUTE)
      counts.clear()
    }
    const count = (counts.get(who) ?? 0) + points
    counts.set(who, count)
    return { count, seconds: MINUTE - (now % MINUTE) }
  }
}

/** Counts by the minute; throws 429 when one of those that are counted exceeds it. */
function minuteLimit(): (those: Iterable<string | number>) => void {
  const countOf = minuteCounter()
  return (those) => {
    for (const who of those) {
      const { count, seconds } = countOf(who)
      if (count > MOST_A_MINUTE) throw tooMany(seconds)
    }
  }
}

function grantCallLimit(): RateLimits['countGrantCall'] {
  const countOf = minuteCounter()
  return (key) => {
    const { count, seconds } = countOf(key)
    const headers = {
      'ratelimit-policy': `"calls";q=${MOST_GRANT_CALLS};w=${MINUTE}`,
      ratelimit: `"calls";r=${Math.max(0, MOST_GRANT_CALLS - count)};t=${Math.ceil(seconds)}`,
    }
    if (count > MOST_GRANT_CALLS) throw tooMany(seconds, headers)
    return headers
  }
}

/** Limits that all processes share through PostgreSQL. `hashKey` keeps phone numbers and addresses out of the table. */
export function createLimits(
  pool: Pool,
  hashKey: (key: string) => Buffer,
  { smsDailyCap, namedStatements }: { smsDailyCap: number | undefined; namedStatements: boolean },
  log: Logger,
): RateLimits {
  // The library names its statements, which not every pooler keeps.
  const unnamed = { query: ({ name: _name, ...query }: QueryConfig) => pool.query(query) }
  const limiter = (name: Name, points: number = budgets[name].points, keyPrefix: string = name) =>
    new RateLimiterPostgres({
      storeClient: namedStatements ? pool : unnamed,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: budgets[name].seconds,
    })
  const byKey = (name: Name, points?: number) => [{ limiter: limiter(name, points), whoIs: itself }]
  const byAddress = (name: Name) => [
    { limiter: limiter(name), whoIs: networkOf },
    {
      limiter: limiter(name, NETWORKS_PER_SITE * budgets[name].points, `${name}AndSite`),
      whoIs: siteNetwork,
    },
  ]
  const counters = {
    smsPerPhoneHour: byKey('smsPerPhoneHour'),
    smsPerAddress: byAddress('smsPerAddress'),
    smsPerBlock: byKey('smsPerBlock'),
    wrongCodesPerPhone: byKey('wrongCodesPerPhone'),
    smsPerDay: byKey('smsPerDay', smsDailyCap),
    resetMailsPerEmail: byKey('resetMailsPerEmail'),
    confirmationMailsPerAccount: byKey('confirmationMailsPerAccount'),
    invitationsPerAccount: byKey('invitationsPerAccount'),
    exportsPerAccount: byKey('exportsPerAccount'),
    failedSignInsPerAccount: byKey('failedSignInsPerAccount'),
    wrongClinicCodesPerAccount: byKey('wrongClinicCodesPerAccount'),
    failuresPerAddress: byAddress('failuresPerAddress'),
    authorizationsPerAddress: byAddress('authorizationsPerAddress'),
    unknownDevicesPerAddress: byAddress('unknownDevicesPerAddress'),
    keptRejectionBytesPerAddress: byAddress('keptRejectionBytesPerAddress'),
  }
  // Three at once, then one a minute: one each minute, and two more.
  const smsPerPhone = new BurstyRateLimiter(limiter('smsPerPhoneMinute'), limiter('smsPerPhoneBurst'))
  const all = { ...counters, smsPerPhone: [{ limiter: smsPerPhone, whoIs: itself }] }
  const hash = (key: string) => hashKey(key).toString('base64url')
  const usedUp = new Map<string, number>()
  const nameOf = (budget: Budget, key: string) => `${budget} ${all[budget][0]?.whoIs(key) ?? key}`
  const keepUsedUp = (name: string, until: number) => {
    if (usedUp.size >= MOST_COUNTED) usedUp.clear()
    usedUp.set(name, until)
  }
  const countChanges = minuteLimit()
  const unpackedBy = minuteCounter()
  return {
    countUploads: minuteLimit(),
    countGrantCall: grantCallLimit(),
    countUnpacked(address, bytes) {
      const { count, seconds } = unpackedBy(networkOf(address), bytes)
      if (count > MOST_UNPACKED_A_MINUTE) throw tooMany(seconds)
    },
    countChange: (rootUserId) => countChanges([rootUserId]),
    async countUnknownIpFailure(rootUserId) {
      const { rowCount } = await pool.query(countUnknownIpFailure, [rootUserId])
      if (rowCount === 0) throw tooMany(STRANGER_WAIT)
    },
    async countSmsCode(country) {
      const { rows } = await pool.query<CountedCode>(countSmsCode, [country, new Date()])
      const [counted] = rows
      if (counted?.has_stopped) {
        stops.inc({ country })
        log.error({ country }, 'SMS stopped: fewer than a tenth of the codes are entered')
      }
      if (typeof counted?.wait_seconds === 'number') throw tooMany(counted.wait_seconds)
      return counted?.sent_code_id ? BigInt(counted.sent_code_id) : undefined
    },
    async consume(budget, key, points = 1) {
      try {
        for (const { limiter, whoIs } of all[budget]) {
          const who = whoIs(key)
          if (who === undefined) continue
          const { remainingPoints, msBeforeNext } = await limiter.consume(hash(who), points)
          if (remainingPoints === 0) keepUsedUp(nameOf(budget, key), Date.now() + msBeforeNext)
        }
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        keepUsedUp(nameOf(budget, key), Date.now() + error.msBeforeNext)
        throw tooMany(error.msBeforeNext / 1000)
      }
    },
    usedUpFor(budget, key) {
      const name = nameOf(budget, key)
      const seconds = Math.ceil(((usedUp.get(name) ?? 0) - Date.now()) / 1000)
      if (seconds > 0) return seconds
      usedUp.delete(name)
      return 0
    },
    async giveBack(budget, key) {
      for (const { limiter, whoIs } of counters[budget]) {
        const who = whoIs(key)
        if (who !== undefined) await limiter.reward(hash(who))
      }
    },
  }
}

const itself = (key: string): string | undefined => key

/** For load tests and the like: everything is allowed. */
export const noLimits: RateLimits = {
  consume: async () => {},
  usedUpFor: () => 0,
  countUploads: () => {},
  countUnpacked: () => {},
  countChange: () => {},
  countGrantCall: () => ({}),
  countUnknownIpFailure: async () => {},
  countSmsCode: async () => undefined,
  giveBack: async () => {},
}
