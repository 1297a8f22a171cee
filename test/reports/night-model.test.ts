import { addDays, today, weekday } from '@companion/server/time/wall-clock.ts'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { shiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { languages } from '@companion/server/reports/languages/index.ts'
import { momentText } from '@companion/server/reports/languages/moments.ts'
import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { connectClinic, newClinic } from '../support/clinics.ts'
import type { AddedClinic } from '../support/clinics.ts'
import { addClinician, clinicOf } from '../support/clinicians.ts'
import type { Clinician } from '../support/clinicians.ts'
import { OPERATOR } from '../support/operator.ts'
import { plans } from '../support/plans.ts'
import { fetchReport, readFigures, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'
import { share, shares } from '../support/shares.ts'

/*
 * Insight, the report's page, the list of a clinic and `nights_of` say the same of the nights of 200 children as a model that knows none of
 * them: of uses around noon and midnight, temporary and short ones, deletions and restored records, devices and children that were handed
 * over, shifted clocks, and plans that were replaced or paused.
 */

const server = useServer()
const calls = plans(server)

const CHILDREN = 200
const FAMILIES = 20
/** The day of the service, and the 28 evenings that end with yesterday's. */
const NOW = today('America/New_York')
const FIRST = addDays(NOW, -28)
const LAST = addDays(NOW, -1)
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
/** Days ago, of the first and the last: all that the figures are about, what they compare with, or the last fortnight. */
const PERIODS: [[number, number], ...[number, number][]] = [
  [58, 0],
  [58, 12],
  [16, 0],
]

function anyUses({ below, oneOf, isLucky }: Random): Use[] {
  const byStart = new Map<number, Use>()
  const [first, last] = oneOf(PERIODS)
  const losses = oneOf([0.1, 0.5])
  for (let n = below(30); n > 0; n -= 1) {
    const date = addDays(NOW, below(first - last + 1) - first)
    const start = Date.parse(`${date}T${oneOf(MOMENTS)}Z`) + 1000 * below(3)
    byStart.set(start, {
      start,
      seconds: oneOf(LENGTHS),
      is_temp: isLucky(0.15),
      finish_flag: isLucky(losses) ? 4 : oneOf([1, 2, 3, 5]),
    })
  }
  return [...byStart.values()].toSorted((one, other) => one.start - other.start)
}

const wallClock = (at: number) => new Date(at).toISOString().slice(0, 19)

function eveningOf({ start }: Use): string {
  const [date = '', time = ''] = wallClock(start).split('T')
  return time < '12:00:00' ? addDays(date, -1) : date
}

interface Plan {
  from: string
  nights_per_week: number
  minutes: number
}

const planOn = (planned: readonly Plan[], date: string) => planned.findLast(({ from }) => from <= date)

interface Night {
  date: string
  seconds: number
  reached: boolean
  losses: number
}

/** The used nights by the words of the contract. */
function nightsOf(uses: readonly Use[], planned: readonly Plan[]): Night[] {
  const nights = new Map<string, { seconds: number; losses: number }>()
  for (const use of uses) {
    if (!use.is_temp && use.seconds < 120) continue
    const evening = eveningOf(use)
    const { seconds, losses } = nights.get(evening) ?? { seconds: 0, losses: 0 }
    nights.set(evening, {
      seconds: seconds + use.seconds,
      losses: losses + (use.finish_flag === 4 ? 1 : 0),
    })
  }
  return [...nights]
    .map(([date, night]) => ({
      date,
      ...night,
      reached: night.seconds >= 60 * (planOn(planned, date)?.minutes ?? USUAL_GOAL),
    }))
    .toSorted((one, other) => one.date.localeCompare(other.date))
}

const minutes = (seconds: number) => Math.floor(seconds / 60)
const duration = (seconds: number) => `${Math.floor(minutes(seconds) / 60)} h ${minutes(seconds) % 60} min`
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (index: number) => sorted[Math.floor(index)] ?? 0
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2
}
const medianMinutes = (nights: readonly Night[]) =>
  nights.length === 0 ? null : minutes(median(nights.map(({ seconds }) => seconds)))

const between = <Dated extends { date: string }>(nights: readonly Dated[], first: string, last: string) =>
  nights.filter(({ date }) => date >= first && date <= last)

type Child = Awaited<ReturnType<typeof addChild>>

async function send({ unique_id }: Pick<Child, 'unique_id'>, uses: readonly Use[], firstFile: number) {
  if (uses.length === 0) return
  const items = uses.map(({ start, seconds, ...use }, n) =>
    devlogItem(unique_id, wallClock(start), { ...use, treatment_time: seconds, log_file_id: firstFile + n }),
  )
  expect(await upload(server, items)).toMatchObject({ status: 200 })
}

type Parent = Account & { basestation_id: number }
/** Two parents, of whom the first has the children at first. */
type Parents = readonly [Parent, Parent]

async function addParent(): Promise<Parent> {
  const account = await signUp(server)
  return { ...account, ...(await connectBasestation(server, account.token)) }
}

const LIVES = ['plain', 'deleted', 'restored', 'given back', 'handed over', 'transferred', 'shifted'] as const

/** Uploads what a child's life brings; resolves to what is then there. */
async function live(
  life: (typeof LIVES)[number],
  [owner, partner]: Parents,
  child: Child,
  random: Random,
): Promise<Use[]> {
  const { token } = owner
  const { real_user_id, device_id, unique_id } = child
  const uses = anyUses(random)
  const others = () => anyUses(random).filter(({ start }) => uses.every((use) => use.start !== start))
  await send(child, uses, 1)
  if (life === 'plain') return uses
  if (life === 'deleted' || life === 'restored') {
    const later = others()
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
    await send(child, later, 100)
    if (life === 'deleted') return later
    await server.database.transaction((tx) => restoreDevlogs(tx, { uniqueId: unique_id, operator: OPERATOR }))
    return [...uses, ...later]
  }
  if (life === 'transferred') {
    const { share_id } = await share(server, owner, partner, { real_user_id, role: 'guardian' })
    await shares(server).offerTransfer(owner, { real_user_id, share_id })
    expect((await shares(server).acceptTransfer(partner, real_user_id)).status).toBe(200)
    const later = others()
    await send(child, later, 100)
    return [...uses, ...later]
  }
  if (life === 'given back' || life === 'handed over') {
    await server.delete(`/api/v1/beta/device/${device_id}`, { token })
    if (life === 'given back') return uses
    // What the next child records with the device is its own.
    const next = await addChild(server, token)
    await server.delete(`/api/v1/beta/device/${next.device_id}`, { token })
    const { serial_code, mac_id } = child
    const json = { serial_code, mac_id, unique_id, real_user_id: next.real_user_id }
    expect((await server.post('/api/v1/beta/device', { token, json })).status).toBe(200)
    await send(child, others(), 100)
    return uses
  }
  const shifted = await server.database.transaction((tx) =>
    shiftDevlogs(tx, {
      uniqueId: unique_id,
      from: `${addDays(NOW, -70)}T00:00:00`,
      to: `${addDays(NOW, 5)}T00:00:00`,
      seconds: SHIFT,
      dryRun: false,
      operator: OPERATOR,
    }),
  )
  expect(shifted).toMatchObject({ moved: uses.length, stayed: [] })
  return uses.map((use) => ({ ...use, start: use.start + 1000 * SHIFT }))
}

/** What parents and the clinic plan for a child, some of it more than once. */
async function plan(
  parent: Account,
  real_user_id: number,
  { below, oneOf, isLucky }: Random,
): Promise<Plan[]> {
  const byFrom = new Map<string, Plan>()
  if (isLucky(0.2)) return []
  for (const ago of [70, 41, 28, 20, 9, 1, 0, -3, 20, 1]) {
    if (!isLucky(0.35)) continue
    const from = addDays(NOW, -ago)
    const planned = { from, nights_per_week: below(8), minutes: oneOf([2, 60, 120, 240, 241]) }
    const set = await (isLucky(0.3)
      ? clinicOf(server, clinic.clinic_id).planNights(doctor, real_user_id, planned)
      : calls.set(parent, { real_user_id, ...planned }))
    expect(set.status).toBe(200)
    if (isLucky(0.1)) {
      await calls.remove(parent, set.body.plan_id)
      byFrom.delete(from)
    } else byFrom.set(from, planned)
  }
  return [...byFrom.values()].toSorted((one, other) => one.from.localeCompare(other.from))
}

let clinic: AddedClinic
let doctor: Clinician

interface Known {
  real_user_id: number
  parent: Parent
  uses: readonly Use[]
  planned: readonly Plan[]
  /** The evening from which nights count; null before the first pairing or record. */
  begun: string | null
  isWorn: boolean
  isSilent: boolean
  hasWrongClock: boolean
}

/** Adds a child of a clinic, with all that happens to it. */
async function seed(parents: Parents, random: Random): Promise<Known> {
  const { below, oneOf, isLucky } = random
  const query = (text: string, ...values: unknown[]) => server.database.pool.query(text, values)
  const child = await addChild(server, parents[0].token)
  const { real_user_id, unique_id } = child
  // The evening of a day whose date is the next one at UTC.
  const pairedOn = addDays(NOW, -1 - below(60))
  const since = `${addDays(pairedOn, 1)}T03:30:00Z`
  await query('UPDATE device_history SET since = $2 WHERE real_user_id = $1', real_user_id, since)
  const isConnectedFirst = isLucky(0.5)
  const connect = (owner: Account) => connectClinic(server, owner, { code: clinic.code, real_user_id })
  if (isConnectedFirst) await connect(parents[0])
  // Its figures are kept before they change.
  if (isLucky(0.2)) await clinicOf(server, clinic.clinic_id).children(doctor, { limit: 1 })

  const hasWrongClock = isLucky(0.15)
  if (hasWrongClock)
    await upload(server, [devlogItem(unique_id, '2001-01-01T22:00:00')], { prefer: 'handling=lenient' })
  const life = oneOf(LIVES)
  const uses = await live(life, parents, child, random)
  const parent = life === 'transferred' ? parents[1] : parents[0]
  const isWorn = life !== 'given back' && life !== 'handed over'
  // What is old, or was not kept, is so before the clinic looks for the first time.
  const isSilent = !isConnectedFirst && isLucky(0.5)
  if (isSilent)
    for (const [table, column, key] of [
      ['device', 'last_upload_at', 'real_user_id'],
      ['device_history', 'last_upload_at', 'real_user_id'],
      ['real_user', 'created_at', 'id'],
    ])
      await query(
        `UPDATE ${table} SET ${column} = ${column} - interval '9 days' WHERE ${key} = $1`,
        real_user_id,
      )
  const isPairingKnown = isConnectedFirst || isWorn || isLucky(0.5)
  if (!isPairingKnown) await query('DELETE FROM device_history WHERE real_user_id = $1', real_user_id)
  if (!isConnectedFirst || life === 'transferred') await connect(parent)
  const planned = await plan(parent, real_user_id, random)
  const evenings = [...uses.map(eveningOf), ...(isPairingKnown ? [pairedOn] : [])]
  const begun = evenings.toSorted()[0] ?? null
  return { real_user_id, parent, uses, planned, begun, isWorn, isSilent, hasWrongClock }
}

/** What the list of a clinic says of a child, but for who it is and when it last uploaded. */
function itemOf({ planned, begun, isSilent, hasWrongClock }: Known, nights: readonly Night[]) {
  const ofPeriod = between(nights, FIRST, LAST)
  const reached = ofPeriod.filter((night) => night.reached).length
  const nightsAWeek = (evening: string) =>
    begun !== null && evening >= begun ? (planOn(planned, evening)?.nights_per_week ?? 0) : 0
  const reachedAsPlanned = ofPeriod.filter((night) => night.reached && nightsAWeek(night.date) > 0).length
  // Nights a week, added up for each evening: a night that is planned takes seven.
  let sevenths = 0
  for (let evening = FIRST; evening <= LAST; evening = addDays(evening, 1)) sevenths += nightsAWeek(evening)
  const fortnight = between(nights, addDays(NOW, -14), LAST)
  const before = between(nights, FIRST, addDays(NOW, -15))
  const lossy = fortnight.filter(({ losses }) => losses > 0)
  const flags: Record<string, boolean> = {
    no_upload: isSilent,
    below_plan: 2 * 7 * reachedAsPlanned < sevenths,
    falling: before.length > 0 && 3 * fortnight.length <= 2 * before.length,
    contact_loss: lossy.length > fortnight.length / 2,
    clock: hasWrongClock,
  }
  const current = planOn(planned, NOW)
  return {
    plan: current ? { nights_per_week: current.nights_per_week, minutes: current.minutes } : null,
    last_night: nights.findLast(({ date }) => date <= NOW)?.date ?? null,
    used_28: ofPeriod.length,
    reached_28: reached,
    median_minutes_28: medianMinutes(ofPeriod),
    used_28_before: between(nights, addDays(NOW, -56), addDays(FIRST, -1)).length,
    contact_losses_28: ofPeriod.reduce((sum, { losses }) => sum + losses, 0),
    flags: Object.keys(flags).filter((flag) => flags[flag]),
  }
}

/** Compares all that is said of a child; resolves to what is told of it. */
async function compare(known: Known, item: Record<string, unknown>): Promise<string[]> {
  const { real_user_id, parent, uses, planned, begun, isWorn } = known
  const nights = nightsOf(uses, planned)
  const ofPeriod = between(nights, FIRST, LAST)
  const expected = itemOf(known, nights)
  expect(item).toMatchObject(expected)

  const { rows } = await server.database.pool.query(
    `SELECT to_char(evening, 'YYYY-MM-DD') AS date, seconds::int, contact_losses AS losses, has_reached AS reached
     FROM nights_of($1, $2, $3, $4) ORDER BY evening`,
    [real_user_id, FIRST, LAST, USUAL_GOAL],
  )
  expect(rows).toEqual(ofPeriod)

  const insightOn = async (current_date: string) =>
    (await calls.insight(parent, { real_user_id, current_date })).body
  for (let evening = FIRST; evening <= LAST; evening = addDays(evening, 1)) {
    const { last_night } = await insightOn(addDays(evening, 1))
    const night = ofPeriod.find(({ date }) => date === evening)
    expect([evening, last_night]).toEqual([
      evening,
      night
        ? {
            date: evening,
            minutes: minutes(night.seconds),
            reached: night.reached,
            contact_losses: night.losses,
          }
        : null,
    ])
  }
  /** Those of the week of an evening, and of the week before, as far as that evening. */
  const compareWeeks = async (last: string) => {
    const insight = await insightOn(last)
    const sunday = addDays(last, -weekday(last))
    for (const [part, found] of [
      [insight.before, between(nights, addDays(sunday, -7), addDays(sunday, -1))],
      [insight.week, between(nights, sunday, last)],
    ] as const)
      expect(part).toMatchObject({
        used: found.length,
        reached: found.filter(({ reached }) => reached).length,
        median_minutes: medianMinutes(found),
      })
  }
  // The 56 evenings, in ten weeks of which two are not whole.
  for (const ago of [1, 15, 29, 43, 57]) await compareWeeks(addDays(NOW, -ago))
  // The 28 evenings of which tomorrow's insight takes the usual length are those of the list.
  const { usual_minutes } = await insightOn(addDays(NOW, 1))
  expect(usual_minutes).toBe(ofPeriod.length < 5 ? null : item['median_minutes_28'])
  // Of a night that nothing can have been recorded of, it says when a device has last uploaded.
  const { missing } = await insightOn(addDays(NOW, 2))
  expect(missing && missing.last_upload_at).toBe(isWorn ? item['last_upload_at'] : null)

  const report = await fetchReport(server, REPORT, doctor.token, {
    real_user_id,
    basestation_id: parent.basestation_id,
    start_date: FIRST,
    end_date: LAST,
    language: 'EN',
  })
  expect(report.status).toBe(200)
  const { glance, records } = await readFigures(report.bytes, 1)
  const evenings = Array.from({ length: 28 }, (_, day) => addDays(FIRST, day)).filter(
    (evening) => begun !== null && evening >= begun,
  )
  const gap = Math.max(
    ...evenings
      .map((evening) => (ofPeriod.some(({ date }) => date === evening) ? ' ' : 'x'))
      .join('')
      .split(' ')
      .map(({ length }) => length),
  )
  const times = ofPeriod.map(({ seconds }) => seconds)
  const total = times.reduce((sum, time) => sum + time, 0)
  const shown = (seconds: number) => (times.length === 0 ? '–' : duration(seconds))
  expect(glance).toMatchObject({
    'Nights used': `${expected.used_28} of ${evenings.length}`,
    'Nights that reach the goal': `${expected.reached_28} of ${evenings.length}`,
    'Mean usage time': shown(total / times.length),
    'Mean of all nights': shown(total / evenings.length),
    'Median usage time': shown(median(times)),
    'Total usage time': shown(total),
    'Longest gap': evenings.length === 0 ? '–' : `${gap} ${gap === 1 ? 'night' : 'nights'}`,
  })
  const { last_upload_at } = item
  expect(records).toContain(
    typeof last_upload_at === 'string'
      ? `last upload ${momentText(last_upload_at, 'America/New_York', languages.EN)}`
      : 'no upload yet',
  )
  return [...expected.flags, ...ofPeriod.map(() => 'night')]
}

test(
  `insight, the report, the list of a clinic and nights_of agree on every night of ${CHILDREN} children`,
  { timeout: 600_000 },
  async () => {
    clinic = await newClinic(server)
    doctor = await addClinician(server, clinic.clinic_id)
    const families = await Promise.all(
      Array.from({ length: FAMILIES }, async (_, family) => {
        const parents = [await addParent(), await addParent()] as const
        const children: Known[] = []
        for (let n = family; n < CHILDREN; n += FAMILIES) children.push(await seed(parents, randomOf(n + 1)))
        return children
      }),
    )
    const { body } = await clinicOf(server, clinic.clinic_id).children(doctor, { limit: 200 })
    const items = new Map<number, Record<string, unknown>>(
      body.items.map((item: { real_user_id: number }) => [item.real_user_id, item]),
    )
    expect(items.size).toBe(CHILDREN)
    const told = (
      await Promise.all(
        families.map(async (children) => {
          const found: string[] = []
          for (const known of children)
            found.push(...(await compare(known, items.get(known.real_user_id) ?? {})))
          return found
        }),
      )
    ).flat()
    const counts = Object.groupBy(told, (each) => each)
    for (const each of ['night', 'no_upload', 'below_plan', 'falling', 'contact_loss', 'clock'])
      expect([each, counts[each]?.length]).toEqual([each, expect.toSatisfy((count: number) => count >= 10)])
    expect(counts['night']?.length).toBeGreaterThan(2 * CHILDREN)
  },
)
