import { addDays } from '@companion/server/time/wall-clock.ts'
import { shiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { plans } from '../support/plans.ts'
import { fetchReport, readFigures, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'

/*
 * Insight, the report's page and `nights_of` say the same of every night of 200 children as a model that knows none of them: of uses
 * around noon and midnight, temporary and short ones, deletions, devices that were handed over, and shifted clocks.
 */

const server = useServer()
const calls = plans(server)

const CHILDREN = 200
const FAMILIES = 20
/** A Sunday; the week before it, and the week of it. */
const FIRST = '2026-02-22'
const LAST = '2026-03-07'
const SHIFT = 3 * 3600
const USUAL_GOAL = 240

/** The same numbers in every run. */
function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  const oneOf = <Item>(items: readonly [Item, ...Item[]]) => items[below(items.length)] ?? items[0]
  return { below, oneOf, isLucky: (share: number) => next() < share }
}
type Random = ReturnType<typeof randomOf>

interface Use {
  /** Milliseconds, as if the clock of the device showed UTC. */
  start: number
  seconds: number
  is_temp: boolean
  finish_flag: number
}

const MOMENTS = ['11:59:59', '12:00:00', '23:59:59', '00:00:00', '21:00:00', '03:30:00', '12:00:01'] as const
const LENGTHS = [0, 30, 119, 120, 121, 3600, 7199, 14_399, 14_400, 20_000] as const

function anyUses({ below, oneOf, isLucky }: Random): Use[] {
  const byStart = new Map<number, Use>()
  for (let n = below(14); n > 0; n -= 1) {
    const date = addDays(FIRST, below(15) - 1)
    const start = Date.parse(`${date}T${oneOf(MOMENTS)}Z`) + 1000 * below(3)
    byStart.set(start, {
      start,
      seconds: oneOf(LENGTHS),
      is_temp: isLucky(0.15),
      finish_flag: 1 + below(5),
    })
  }
  return [...byStart.values()].toSorted((one, other) => one.start - other.start)
}

const wallClock = (at: number) => new Date(at).toISOString().slice(0, 19)

interface Plan {
  from: string
  nights_per_week: number
  minutes: number
}

interface Night {
  date: string
  seconds: number
  reached: boolean
}

/** The used nights by the words of the contract. */
function nightsOf(uses: readonly Use[], planned: readonly Plan[]): Night[] {
  const seconds = new Map<string, number>()
  for (const use of uses) {
    if (!use.is_temp && use.seconds < 120) continue
    const [date = '', time = ''] = wallClock(use.start).split('T')
    const evening = time < '12:00:00' ? addDays(date, -1) : date
    seconds.set(evening, (seconds.get(evening) ?? 0) + use.seconds)
  }
  return [...seconds]
    .map(([date, sum]) => {
      const plan = planned.findLast(({ from }) => from <= date)
      return { date, seconds: sum, reached: sum >= 60 * (plan?.minutes ?? USUAL_GOAL) }
    })
    .toSorted((one, other) => one.date.localeCompare(other.date))
}

const minutes = (seconds: number) => Math.floor(seconds / 60)
const duration = (seconds: number) => `${Math.floor(minutes(seconds) / 60)} h ${minutes(seconds) % 60} min`
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (index: number) => sorted[Math.floor(index)] ?? 0
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2
}

type Child = Awaited<ReturnType<typeof addChild>>

async function send({ unique_id }: Pick<Child, 'unique_id'>, uses: readonly Use[], firstFile: number) {
  if (uses.length === 0) return
  const items = uses.map(({ start, seconds, ...use }, n) =>
    devlogItem(unique_id, wallClock(start), { ...use, treatment_time: seconds, log_file_id: firstFile + n }),
  )
  expect(await upload(server, items)).toMatchObject({ status: 200 })
}

/** Uploads what a child's life brings; resolves to what is then there. */
async function live(token: string, child: Child, random: Random): Promise<Use[]> {
  const uses = anyUses(random)
  const life = random.oneOf(['plain', 'plain', 'deleted', 'handed over', 'shifted'])
  if (life === 'deleted') {
    const later = anyUses(random).filter(({ start }) => uses.every((use) => use.start !== start))
    await send(child, uses, 1)
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: child.unique_id } })
    await send(child, later, 100)
    return later
  }
  if (life === 'handed over') {
    // What the next child records with the device is its own.
    await send(child, uses, 1)
    await server.delete(`/api/v1/beta/device/${child.device_id}`, { token })
    const next = await addChild(server, token)
    await server.delete(`/api/v1/beta/device/${next.device_id}`, { token })
    const { serial_code, mac_id, unique_id } = child
    const json = { serial_code, mac_id, unique_id, real_user_id: next.real_user_id }
    expect((await server.post('/api/v1/beta/device', { token, json })).status).toBe(200)
    await send(
      child,
      anyUses(random).filter(({ start }) => uses.every((use) => use.start !== start)),
      100,
    )
    return uses
  }
  await send(child, uses, 1)
  if (life === 'plain') return uses
  const shifted = await server.database.transaction((tx) =>
    shiftDevlogs(tx, {
      uniqueId: child.unique_id,
      from: `${addDays(FIRST, -5)}T00:00:00`,
      to: `${addDays(LAST, 5)}T00:00:00`,
      seconds: SHIFT,
      dryRun: false,
      operator: { operator: 'test', approvedBy: undefined },
    }),
  )
  expect(shifted).toMatchObject({ moved: uses.length, stayed: [] })
  return uses.map((use) => ({ ...use, start: use.start + 1000 * SHIFT }))
}

/** Resolves to how many nights of a child it has compared. */
async function compare(token: string, station: number, random: Random): Promise<number> {
  const child = await addChild(server, token)
  const { real_user_id } = child
  await server.database.pool.query('UPDATE device_history SET since = $2 WHERE device_id = $1', [
    child.device_id,
    `${FIRST}T17:00:00Z`,
  ])
  const uses = await live(token, child, random)
  const planned: Plan[] = ['2026-02-20', '2026-02-25', '2026-03-01', '2026-03-04'].flatMap((from) =>
    random.isLucky(0.4)
      ? [{ from, nights_per_week: random.below(8), minutes: random.oneOf([2, 60, 120, 240, 241]) }]
      : [],
  )
  for (const { from, nights_per_week, minutes: goal } of planned)
    await server.database.pool.query(
      `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at) VALUES ($1, $2, $3, $4, 'parent', now())`,
      [real_user_id, from, nights_per_week, goal],
    )
  const nights = nightsOf(uses, planned)
  const ofPeriod = nights.filter(({ date }) => date >= FIRST && date <= LAST)

  const { rows } = await server.database.pool.query(
    `SELECT to_char(evening, 'YYYY-MM-DD') AS date, seconds::int, has_reached AS reached FROM nights_of($1, $2, $3, $4)
     ORDER BY evening`,
    [real_user_id, FIRST, LAST, USUAL_GOAL],
  )
  expect(rows).toEqual(ofPeriod)

  for (let evening = FIRST; evening <= LAST; evening = addDays(evening, 1)) {
    const query = { real_user_id, current_date: addDays(evening, 1) }
    const { body } = await calls.insight({ token }, query)
    const night = ofPeriod.find(({ date }) => date === evening)
    expect([evening, body.last_night]).toEqual([
      evening,
      night
        ? {
            date: evening,
            minutes: minutes(night.seconds),
            reached: night.reached,
            contact_losses: expect.any(Number),
          }
        : null,
    ])
  }
  const { body: week } = await calls.insight({ token }, { real_user_id, current_date: LAST })
  const of = (first: string, last: string) => ofPeriod.filter(({ date }) => date >= first && date <= last)
  for (const [part, found] of [
    [week.before, of(FIRST, '2026-02-28')],
    [week.week, of('2026-03-01', LAST)],
  ] as const)
    expect(part).toMatchObject({
      used: found.length,
      reached: found.filter(({ reached }) => reached).length,
      median_minutes: found.length === 0 ? null : minutes(median(found.map(({ seconds }) => seconds))),
    })

  const report = await fetchReport(server, REPORT, token, {
    real_user_id,
    basestation_id: station,
    start_date: FIRST,
    end_date: LAST,
    language: 'EN',
  })
  expect(report.status).toBe(200)
  const { glance } = await readFigures(report.bytes)
  const isUsed = Array.from({ length: 14 }, (_, day) =>
    ofPeriod.some(({ date }) => date === addDays(FIRST, day)),
  )
  const gap = Math.max(
    ...isUsed
      .map((used) => (used ? ' ' : 'x'))
      .join('')
      .split(' ')
      .map(({ length }) => length),
  )
  const times = ofPeriod.map(({ seconds }) => seconds)
  const total = times.reduce((sum, time) => sum + time, 0)
  const shown = (seconds: number) => (times.length === 0 ? '–' : duration(seconds))
  expect(glance).toMatchObject({
    'Nights used': `${times.length} of 14`,
    'Nights that reach the goal': `${ofPeriod.filter(({ reached }) => reached).length} of 14`,
    'Mean usage time': shown(total / times.length),
    'Mean of all nights': shown(total / 14),
    'Median usage time': shown(median(times)),
    'Total usage time': shown(total),
    'Longest gap': `${gap} ${gap === 1 ? 'night' : 'nights'}`,
  })
  return ofPeriod.length
}

test(
  `insight, the report and nights_of agree on every night of ${CHILDREN} children`,
  { timeout: 600_000 },
  async () => {
    const compared = await Promise.all(
      Array.from({ length: FAMILIES }, async (_, family) => {
        const { token } = await signUp(server)
        const { basestation_id } = await connectBasestation(server, token)
        let nights = 0
        for (let n = family; n < CHILDREN; n += FAMILIES)
          nights += await compare(token, basestation_id, randomOf(n + 1))
        return nights
      }),
    )
    expect(compared.reduce((sum, nights) => sum + nights, 0)).toBeGreaterThan(2 * CHILDREN)
  },
)
