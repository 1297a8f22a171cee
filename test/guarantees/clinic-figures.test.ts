import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { shiftDevlogs, unshiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { addDays, today } from '@companion/server/time/wall-clock.ts'
import { connectClinic, newClinic } from '../support/clinics.ts'
import { addClinician, clinicOf } from '../support/clinicians.ts'
import type { Clinician } from '../support/clinicians.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { OPERATOR } from '../support/operator.ts'
import { plans } from '../support/plans.ts'
import { useServer } from '../support/server.ts'
import { addMember, shares } from '../support/shares.ts'

/*
 * The figures that a clinic sees are kept, and say at every moment what the records and plans say, whichever way these change: by a model
 * that knows the definition of a night. `reports/night-model.test.ts` compares them with insights and reports.
 */

const server = useServer({ ADHERENCE_GOAL_MINUTES: '240' })
const GOAL = 240
const now = today('America/New_York')

let owner: Account
let doctor: Clinician
let clinic_id: number
let code: string
beforeAll(async () => {
  owner = await signUp(server)
  ;({ clinic_id, code } = await newClinic(server))
  doctor = await addClinician(server, clinic_id)
})

interface Treatment {
  treatment_date: string
  treatment_time: number
  finish_flag: number | string
  is_temp: boolean
}

interface PlanOfChild {
  from: string
  nights_per_week: number
  minutes: number
}

const middle = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

/** What the definition of a night makes of the records and plans that an owner reads. */
function modelOf(treatments: Treatment[], planned: PlanOfChild[], firstEvening: string) {
  const nights = new Map<string, { seconds: number; losses: number }>()
  for (const { treatment_date, treatment_time, finish_flag, is_temp } of treatments) {
    if (!is_temp && treatment_time < 120) continue
    const date = treatment_date.slice(0, 10)
    const evening = treatment_date.slice(11) < '12:00:00' ? addDays(date, -1) : date
    const night = nights.get(evening) ?? { seconds: 0, losses: 0 }
    night.seconds += treatment_time
    if (Number(finish_flag) === 4) night.losses += 1
    nights.set(evening, night)
  }
  const planOf = (evening: string) => planned.findLast(({ from }) => from <= evening)
  const within = (first: number, last: number) =>
    [...nights].filter(([evening]) => evening >= addDays(now, -first) && evening <= addDays(now, -last))
  const month = within(28, 1)
  const reached = month.filter(([evening, { seconds }]) => seconds >= 60 * (planOf(evening)?.minutes ?? GOAL))
  const evenings = Array.from({ length: 28 }, (_, n) => addDays(now, n - 28)).filter(
    (each) => each >= firstEvening,
  )
  const reachedAsPlanned = reached.filter(
    ([evening]) => evening >= firstEvening && (planOf(evening)?.nights_per_week ?? 0) > 0,
  )
  const nightsPlanned = evenings.reduce((sum, each) => sum + (planOf(each)?.nights_per_week ?? 0), 0) / 7
  const [fortnight, before] = [within(14, 1), within(28, 15)]
  const lossy = fortnight.filter(([, { losses }]) => losses > 0)
  return {
    last_night:
      [...nights.keys()]
        .filter((evening) => evening <= now)
        .toSorted()
        .at(-1) ?? null,
    used_28: month.length,
    reached_28: reached.length,
    median_minutes_28:
      month.length === 0 ? null : Math.floor(middle(month.map(([, { seconds }]) => seconds)) / 60),
    used_28_before: within(56, 29).length,
    contact_losses_28: month.reduce((sum, [, { losses }]) => sum + losses, 0),
    flags: [
      ...(reachedAsPlanned.length < nightsPlanned / 2 ? ['below_plan'] : []),
      ...(before.length > 0 && fortnight.length <= (before.length * 2) / 3 ? ['falling'] : []),
      ...(lossy.length > fortnight.length / 2 ? ['contact_loss'] : []),
    ],
  }
}

/** What the list says of a child, and what the model says of what its owner reads. */
async function bothOf({ token }: Pick<Account, 'token'>, real_user_id: number) {
  const { body: listed } = await clinicOf(server, clinic_id).children(doctor, { limit: 200 })
  const item = listed.items.find((each: { real_user_id: number }) => each.real_user_id === real_user_id)
  const query = { real_user_id, start_date: addDays(now, -100), end_date: addDays(now, 1), limit: 500 }
  const { items } = (await server.get('/api/v1/beta/treatment', { token, query })).body
  const planned = (await plans(server).list({ token }, { real_user_id })).body.plans
  const { rows } = await server.database.pool.query<{ first: string }>(
    `SELECT to_char(least(min(since) AT TIME ZONE 'America/New_York', (SELECT min(treatment_date) - interval '12 hours' FROM treatment
       WHERE real_user_id = $1 AND deleted_at IS NULL)), 'YYYY-MM-DD') AS first FROM device_history WHERE real_user_id = $1`,
    [real_user_id],
  )
  const model = modelOf(items, planned, rows[0]?.first ?? '')
  const { last_night, used_28, reached_28, median_minutes_28, used_28_before, contact_losses_28, flags } =
    item
  const ofNights = flags.filter((flag: string) => flag !== 'no_upload')
  return [
    {
      last_night,
      used_28,
      reached_28,
      median_minutes_28,
      used_28_before,
      contact_losses_28,
      flags: ofNights,
    },
    model,
  ]
}

async function addPatient() {
  const child = await addChild(server, owner.token)
  await connectClinic(server, owner, { code, real_user_id: child.real_user_id })
  return child
}

const use = fc.record({
  ago: fc.integer({ min: 0, max: 60 }),
  time: fc.constantFrom('21:30:00', '01:00:00', '11:59:59', '12:00:00', '23:00:00'),
  treatment_time: fc.constantFrom(60, 119, 120, 14_399, 14_400, 20_000),
  finish_flag: fc.constantFrom('1', '4'),
  is_temp: fc.boolean(),
})
type Use = typeof use extends fc.Arbitrary<infer Value> ? Value : never

const itemOf = (unique_id: string, { ago, time, ...detail }: Use, n: number) =>
  devlogItem(unique_id, `${addDays(now, -ago)}T${time}`, { log_file_id: 1 + n, ...detail })

const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(use, { minLength: 1, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constantFrom('delete', 'restore', 'shift', 'unshift', 'unplan', 'hand over') },
  {
    weight: 2,
    arbitrary: fc.record({
      nights_per_week: fc.integer({ min: 0, max: 7 }),
      minutes: fc.constantFrom(1, 239, 240, 334),
      ago: fc.integer({ min: -5, max: 50 }),
    }),
  },
)

test('the figures say what the records and plans say, whichever way these change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const { real_user_id, unique_id } = await addPatient()
      let holder: { token: string } = owner
      let shiftId: number | null = null
      let files = 0
      for (const each of steps) {
        if (Array.isArray(each))
          await upload(
            server,
            each.map((one) => itemOf(unique_id, one, (files += 1))),
          )
        else if (typeof each === 'object') {
          const { ago, ...plan } = each
          await plans(server).set(holder, { real_user_id, ...plan, from: addDays(now, -ago) })
        } else if (each === 'delete')
          await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
        else if (each === 'restore')
          await server.database.transaction((sql) =>
            restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR }),
          )
        else if (each === 'shift') {
          const period = { from: `${addDays(now, -20)}T00:00:00`, to: `${addDays(now, -1)}T00:00:00` }
          const shifted = await server.database.transaction((sql) =>
            shiftDevlogs(sql, {
              uniqueId: unique_id,
              ...period,
              seconds: -86_400 * 12,
              dryRun: false,
              operator: OPERATOR,
            }),
          )
          shiftId = shifted?.shiftId ?? shiftId
        } else if (each === 'unshift' && shiftId !== null) {
          const id = shiftId
          shiftId = null
          await server.database.transaction((sql) => unshiftDevlogs(sql, id, OPERATOR))
        } else if (each === 'unplan') {
          const [first] = (await plans(server).list(holder, { real_user_id })).body.plans
          if (first) await plans(server).remove(holder, first.plan_id)
        } else if (each === 'hand over' && holder === owner) {
          // Nobody but the clinic watches the child before.
          const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
          const { share_id } = guardian
          await shares(server).offerTransfer(owner, { real_user_id, share_id })
          await shares(server).acceptTransfer(guardian, real_user_id)
          holder = guardian
          // What the former owner had given has ended.
          await connectClinic(server, holder, { code, real_user_id })
        }
        const [kept, model] = await bothOf(holder, real_user_id)
        expect(kept).toEqual(model)
      }
      // Of many children the list would be the slowest part of this test.
      await server.database.pool.query(
        'UPDATE clinic_connection SET ended_at = now() WHERE real_user_id = $1',
        [real_user_id],
      )
    }),
    { numRuns: 25 },
  )
})

test('an upload that is under way while the list is read is seen by the next one', async () => {
  const { real_user_id, unique_id } = await addPatient()
  const list = async () =>
    (await clinicOf(server, clinic_id).children(doctor)).body.items.find(
      (each: { real_user_id: number }) => each.real_user_id === real_user_id,
    ).used_28
  const night = (ago: number) => devlogItem(unique_id, `${addDays(now, -ago)}T22:00:00`, { log_file_id: ago })
  await upload(server, [night(1)])
  // The figures are outdated already, and must not be kept before this ends.
  const held = await server.database.pool.connect()
  await held.query('BEGIN')
  await held.query('SELECT FROM device WHERE real_user_id = $1 FOR NO KEY UPDATE', [real_user_id])
  await held.query(`SELECT mark_figures(ARRAY[$1::int])`, [real_user_id])
  await held.query(
    `UPDATE treatment SET treatment_date = treatment_date - interval '1 day' WHERE real_user_id = $1`,
    [real_user_id],
  )
  await held.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag, intensity_record)
     SELECT id, real_user_id, $2::timestamp, 20000, 99, 1, 1, '{}' FROM device WHERE real_user_id = $1`,
    [real_user_id, `${addDays(now, -5)}T22:00:00`],
  )
  expect(await list()).toBe(1)
  await held.query('COMMIT')
  held.release()
  expect(await list()).toBe(2)
})
