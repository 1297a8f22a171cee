import { beforeAll, describe, expect, test } from 'vitest'
import { cursorOf } from '@companion/server/http/page-cursor.ts'
import { addDays, today } from '@companion/server/time/wall-clock.ts'
import { clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import type { AddedClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  clinicOf,
  invitationTo,
} from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const yesterday = addDays(today('America/New_York'), -1)

/** A night of some minutes that began `ago` evenings before yesterday's. */
const night = (unique_id: string, ago: number, minutes: number, more: object = {}) => ({
  ...devlogItem(unique_id, `${addDays(yesterday, -ago)}T22:00:00`, {
    log_file_id: 1000 - ago,
    treatment_time: 60 * minutes,
    ...more,
  }),
})

let owner: Account
let clinic: AddedClinic
let doctor: Clinician
beforeAll(async () => {
  owner = await signUp(server)
  clinic = await newClinic(server)
  doctor = await addClinician(server, clinic.clinic_id)
})

const rename = (id: number, names: { first_name?: string; last_name?: string }) =>
  server.patch(`/api/v1/beta/user/real-user/${id}`, { token: owner.token, json: { id, ...names } })

async function addPatient(names: { first_name?: string; last_name?: string } = {}, at = clinic) {
  const child = await addChild(server, owner.token)
  const { real_user_id } = child
  await rename(real_user_id, names)
  const { connection_id } = await connectClinic(server, owner, { code: at.code, real_user_id })
  // Since long ago, as far as plans are concerned.
  await server.database.pool.query(
    `WITH child AS (UPDATE real_user SET created_at = now() - interval '100 days' WHERE id = $1)
     UPDATE device_history SET since = now() - interval '100 days' WHERE real_user_id = $1`,
    [real_user_id],
  )
  return { ...child, connection_id }
}

test('an item says who the child is, how its nights went, and what the clinic has noted', async () => {
  const { clinic_id, code } = await newClinic(server)
  const colleague = await addClinician(server, clinic_id)
  const { real_user_id, unique_id } = await addPatient(
    { first_name: '민아', last_name: '김' },
    { clinic_id, code, name: '' },
  )
  await upload(server, [
    night(unique_id, 0, 400),
    night(unique_id, 1, 300, { finish_flag: '4' }),
    night(unique_id, 30, 500),
  ])
  await server.put('/api/v1/beta/plan', {
    token: owner.token,
    json: { real_user_id, nights_per_week: 3, minutes: 360 },
  })
  const { status, body } = await clinicOf(server, clinic_id).children(colleague)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      items: [
        {
          real_user_id,
          first_name: '민아',
          last_name: '김',
          birthdate: '20180203',
          gender: 'F',
          record_number: null,
          since: expect.stringMatching(/Z$/),
          until: null,
          plan: { nights_per_week: 3, minutes: 360 },
          last_night: yesterday,
          last_upload_at: expect.stringMatching(/Z$/),
          used_28: 2,
          reached_28: 2,
          median_minutes_28: 350,
          used_28_before: 1,
          contact_losses_28: 1,
          flags: [],
          seen_at: null,
          seen_by: null,
        },
      ],
      next: null,
      total: 1,
      flags: { no_upload: 0, below_plan: 0, falling: 0, contact_loss: 0, clock: 0 },
    },
  })
})

test('an admin alone sees by which id a connection ends', async () => {
  const at = await newClinic(server)
  const { clinic_id } = at
  const { real_user_id, connection_id } = await addPatient({}, at)
  const { children, updatePlace } = clinicOf(server, clinic_id)
  const colleague = await addClinician(server, clinic_id)
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const [seen] = (await children(colleague)).body.items
  expect(seen).not.toHaveProperty('connection_id')
  expect((await children(admin)).body.items).toEqual([{ ...seen, connection_id }])
  expect((await children(admin, { sort: 'name' })).body.items).toEqual([{ ...seen, connection_id }])
  const noted = { record_number: 'SNU-1' }
  expect((await updatePlace(colleague, real_user_id, noted)).body).toEqual({ ...seen, ...noted })
  expect((await updatePlace(admin, real_user_id, {})).body).toEqual({ ...seen, ...noted, connection_id })
  // Of another clinic they are an admin, and of this one not.
  const elsewhere = await newClinic(server)
  const token = await invitationTo(server, elsewhere.clinic_id, { email: colleague.email, role: 'admin' })
  const { body } = await acceptInvitation(server, token, authenticatorOf(server))
  expect((await children({ token: body.access_token })).body.items).toEqual([{ ...seen, ...noted }])
})

test('a clinic without children has an empty list', async () => {
  const { clinic_id } = await newClinic(server)
  const colleague = await addClinician(server, clinic_id)
  expect((await clinicOf(server, clinic_id).children(colleague)).body).toMatchObject({
    items: [],
    next: null,
    total: 0,
  })
})

test('it is for those who work there', async () => {
  const { children } = clinicOf(server, clinic.clinic_id)
  const other = await addClinician(server, (await newClinic(server)).clinic_id, { role: 'admin' })
  for (const stranger of [other, owner])
    expect(await children(stranger)).toMatchObject({ status: 404, body: { detail: 'Clinic not found' } })
})

describe('flags', () => {
  let at: AddedClinic
  let colleague: Clinician
  beforeAll(async () => {
    at = await newClinic(server)
    colleague = await addClinician(server, at.clinic_id)
  })
  const flagsOf = async (real_user_id: number) => {
    const { body } = await clinicOf(server, at.clinic_id).children(colleague, { limit: 200 })
    return body.items.find((each: { real_user_id: number }) => each.real_user_id === real_user_id)?.flags
  }

  test('no_upload: nothing was stored for 7 days', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    expect(await flagsOf(real_user_id)).toEqual(['no_upload'])
    await upload(server, [night(unique_id, 0, 400)])
    expect(await flagsOf(real_user_id)).toEqual([])
    for (const [days, flags] of [
      [6.9, []],
      [7.1, ['no_upload']],
    ] as const) {
      await server.database.pool.query(
        `WITH outdated AS (SELECT mark_figures(ARRAY[$1::int]) AS is_marked)
         UPDATE device SET last_upload_at = now() - $2 * interval '1 day' WHERE real_user_id = $1 AND (SELECT is_marked FROM outdated)`,
        [real_user_id, days],
      )
      expect(await flagsOf(real_user_id)).toEqual(flags)
    }
  })

  test('below_plan: fewer than half of the planned nights of 28 reached the goal', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    const from = addDays(yesterday, -60)
    const plan = (nights_per_week: number) =>
      server.put('/api/v1/beta/plan', {
        token: owner.token,
        json: { real_user_id, nights_per_week, minutes: 300, from },
      })
    // 20 planned nights in four weeks.
    await plan(5)
    await upload(
      server,
      Array.from({ length: 9 }, (_, n) => night(unique_id, 3 * n, 300)),
    )
    await upload(server, [night(unique_id, 1, 299)])
    expect(await flagsOf(real_user_id)).toEqual(['below_plan'])
    await upload(server, [night(unique_id, 2, 300)])
    expect(await flagsOf(real_user_id)).toEqual([])
    await plan(6)
    expect(await flagsOf(real_user_id)).toEqual(['below_plan'])
    // A pause asks for nothing.
    await plan(0)
    expect(await flagsOf(real_user_id)).toEqual([])
  })

  test('below_plan: nights before the plan and in a pause are not among the planned ones', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    const plan = (ago: number, nights_per_week: number) =>
      server.put('/api/v1/beta/plan', {
        token: owner.token,
        json: { real_user_id, nights_per_week, minutes: 300, from: addDays(yesterday, -ago) },
      })
    // Every evening is reached but those of the last two weeks, for which seven nights a week are planned.
    await plan(60, 0)
    await plan(13, 7)
    await upload(
      server,
      Array.from({ length: 14 }, (_, n) => night(unique_id, 14 + n, 300)),
    )
    expect(await flagsOf(real_user_id)).toContain('below_plan')
    await upload(
      server,
      Array.from({ length: 7 }, (_, n) => night(unique_id, n, 300)),
    )
    expect(await flagsOf(real_user_id)).not.toContain('below_plan')
  })

  test('falling: in 14 evenings fewer used nights by a third than in the 14 before', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    await upload(
      server,
      Array.from({ length: 9 }, (_, n) => night(unique_id, 14 + n, 400)),
    )
    await upload(
      server,
      Array.from({ length: 6 }, (_, n) => night(unique_id, n, 400)),
    )
    expect(await flagsOf(real_user_id)).toEqual(['falling'])
    await upload(server, [night(unique_id, 13, 400)])
    expect(await flagsOf(real_user_id)).toEqual([])
  })

  test('contact_loss: in more than one of two used nights of 14', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    await upload(server, [night(unique_id, 0, 400, { finish_flag: '4' }), night(unique_id, 1, 400)])
    expect(await flagsOf(real_user_id)).toEqual([])
    await upload(server, [night(unique_id, 13, 400, { finish_flag: '4' })])
    expect(await flagsOf(real_user_id)).toEqual(['contact_loss'])
  })

  test('clock: records of the last 28 days were refused for their clock', async () => {
    const { real_user_id, unique_id } = await addPatient({}, at)
    const lenient = { prefer: 'handling=lenient' }
    await upload(server, [night(unique_id, 0, 400), devlogItem(unique_id, 'no date')], lenient)
    expect(await flagsOf(real_user_id)).toEqual([])
    await upload(server, [devlogItem(unique_id, '2001-01-01T22:00:00')], lenient)
    expect(await flagsOf(real_user_id)).toEqual(['clock'])
    await server.database.pool.query(
      `WITH outdated AS (SELECT mark_figures(ARRAY[$1::int]) AS is_marked)
       UPDATE rejected_devlog SET received_at = now() - interval '29 days' WHERE real_user_id = $1 AND (SELECT is_marked FROM outdated)`,
      [real_user_id],
    )
    expect(await flagsOf(real_user_id)).toEqual([])
    // The device has not been mended, and sends it twice at once.
    const again = devlogItem(unique_id, '2001-01-01T22:00:00')
    await upload(server, [again, again], lenient)
    expect(await flagsOf(real_user_id)).toEqual(['clock'])
    // Without `handling=lenient` the device is told, and keeps the record.
    const strict = await addPatient({}, at)
    expect((await upload(server, [devlogItem(strict.unique_id, '2001-01-01T22:00:00')])).status).toBe(422)
    expect(await flagsOf(strict.real_user_id)).not.toContain('clock')
  })

  test('are counted, and filter the list', async () => {
    const { children } = clinicOf(server, at.clinic_id)
    const all = (await children(colleague)).body
    for (const [flag, count] of Object.entries(all.flags)) {
      const { body } = await children(colleague, { flag })
      expect(body.total).toBe(count)
      expect(body.items).toHaveLength(Number(count))
      expect(body.flags).toEqual(all.flags)
      for (const each of body.items) expect(each.flags).toContain(flag)
    }
    expect((await children(colleague, { flag: 'tired' })).status).toBe(422)
  })
})

describe('order, search and pages', () => {
  let at: AddedClinic
  let colleague: Clinician
  const list = (query: Record<string, string | number> = {}) =>
    clinicOf(server, at.clinic_id).children(colleague, query)
  const ids = async (query: Record<string, string | number>) =>
    (await list(query)).body.items.map((each: { real_user_id: number }) => each.real_user_id)
  let [late, early, silent]: Awaited<ReturnType<typeof addPatient>>[] = []
  beforeAll(async () => {
    at = await newClinic(server)
    colleague = await addClinician(server, at.clinic_id)
    late = await addPatient({ first_name: '다솜', last_name: '김' }, at)
    early = await addPatient({ first_name: '가람', last_name: '이' }, at)
    silent = await addPatient({ first_name: '나래', last_name: '김' }, at)
    await upload(server, [night(late.unique_id, 0, 400)])
    await upload(server, [night(early.unique_id, 5, 400)])
  })

  test('each order', async () => {
    const [a = 0, b = 0, c = 0] = [late, early, silent].map((each) => each?.real_user_id)
    expect(await ids({})).toEqual([c, a, b])
    expect(await ids({ sort: 'last_night' })).toEqual([c, b, a])
    expect(await ids({ sort: 'name' })).toEqual([c, a, b])
    expect(await ids({ sort: 'since' })).toEqual([c, b, a])
    expect((await list({ sort: 'age' })).status).toBe(422)
  })

  test('a child with a new name has a new place in the order of names', async () => {
    const [a = 0, b = 0, c = 0] = [late, early, silent].map((each) => each?.real_user_id)
    for (const [last_name, expected] of [
      ['최', [a, b, c]],
      ['김', [c, a, b]],
    ] as const) {
      expect((await rename(c, { last_name })).status).toBe(200)
      expect(await ids({ sort: 'name' })).toEqual(expected)
    }
  })

  test('a search finds an exact record number, first or last name', async () => {
    const [a = 0, b = 0, c = 0] = [late, early, silent].map((each) => each?.real_user_id)
    await clinicOf(server, at.clinic_id).updatePlace(colleague, b, { record_number: 'SNU-7' })
    expect(await ids({ search: 'snu-7' })).toEqual([b])
    expect(await ids({ search: '김' })).toEqual([c, a])
    expect(await ids({ search: '가람' })).toEqual([b])
    expect(await ids({ search: '가' })).toEqual([])
    expect((await list({ search: '김' })).body.total).toBe(2)
    expect((await list({ search: '' })).status).toBe(422)
  })

  test.each(['flags', 'last_night', 'name', 'since'])('pages by %s hold each child once', async (sort) => {
    const all = await ids({ sort })
    const paged: number[] = []
    for (let after: string | null | undefined; after !== null;) {
      const { body } = await list({ sort, limit: 1, ...(after ? { after } : {}) })
      expect(body.items.length).toBeLessThanOrEqual(1)
      expect(body.total).toBe(3)
      paged.push(...body.items.map((each: { real_user_id: number }) => each.real_user_id))
      expect(paged.length).toBeLessThanOrEqual(all.length)
      after = body.next
    }
    expect(paged).toEqual(all)
  })

  test('pages by name with a flag hold each child with it once', async () => {
    const query = { sort: 'name', flag: 'no_upload', limit: 1 }
    const [c, other] = [silent?.real_user_id, (await addPatient({ last_name: '박' }, at)).real_user_id]
    const first = (await list(query)).body
    const second = (await list({ ...query, after: first.next })).body
    expect([first, second].map(({ items, total }) => [items[0].real_user_id, total])).toEqual([
      [c, 2],
      [other, 2],
    ])
    expect(second.next).toBe(null)
  })

  test('pages by name go on where they were, whoever comes or goes', async () => {
    const names = async (query: Record<string, string | number>) => {
      const { body } = await list({ sort: 'name', ...query })
      return { next: body.next, ids: body.items.map((each: { real_user_id: number }) => each.real_user_id) }
    }
    const all = (await names({})).ids
    const { next } = await names({ limit: 2 })
    const before = await addPatient({ last_name: '가' }, at)
    expect((await names({ after: next })).ids).toEqual(all.slice(2))
    await clinics(server).disconnect(owner, before.connection_id)
    const { next: again } = await names({ limit: 2 })
    const shown = await clinics(server).listConnections(owner, all[1])
    await clinics(server).disconnect(owner, shown.body[0].connection_id)
    expect((await names({ after: again })).ids).toEqual(all.slice(2))
  })

  /** A clinic with five children, in the order of their names, and all pages of a list that something interrupts behind the first. */
  async function fivePatients() {
    const other = await newClinic(server)
    const reader = await addClinician(server, other.clinic_id)
    const five: Awaited<ReturnType<typeof addPatient>>[] = []
    for (const last_name of ['가', '나', '다', '라', '마']) five.push(await addPatient({ last_name }, other))
    const page = async (query: Record<string, string | number>) =>
      (await clinicOf(server, other.clinic_id).children(reader, { sort: 'name', ...query })).body
    const pages = async (limit: number, interrupt: () => Promise<unknown>) => {
      const first = await page({ limit })
      await interrupt()
      const found = [first]
      for (let { next } = first; next; next = found.at(-1).next)
        found.push(await page({ limit, after: next }))
      return found.flatMap(({ items }) => items.map((each: { real_user_id: number }) => each.real_user_id))
    }
    const leave = (n: number) => clinics(server).disconnect(owner, five[n]?.connection_id ?? 0)
    return { other, reader, page, pages, leave, five, ids: five.map(({ real_user_id }) => real_user_id) }
  }

  test('a cursor by name holds the longest names', async () => {
    const { page, ids } = await fivePatients()
    for (const id of ids) await rename(id, { last_name: '"'.repeat(100), first_name: '𝒜'.repeat(100) })
    const found = []
    for (let next; next !== null;) {
      const { items, next: following } = await page({ limit: 2, ...(next ? { after: next } : {}) })
      found.push(...items.map((each: { real_user_id: number }) => each.real_user_id))
      next = following
    }
    expect(found).toEqual(ids)
  })

  test('pages by name lose nobody when the last of a page and one before it leave', async () => {
    const { pages, leave, ids } = await fivePatients()
    const found = await pages(3, async () => {
      await leave(0)
      await leave(2)
    })
    expect(found).toEqual(ids)
  })

  test.each(['with', 'without'])(
    'pages by name lose nobody when the last of a page gets a later name, %s another reader in between',
    async (which) => {
      const { pages, page, ids } = await fivePatients()
      const found = await pages(2, async () => {
        await rename(ids[1] ?? 0, { last_name: '하' })
        // Then the service knows the new order before it is asked for the second page.
        if (which === 'with') await page({})
      })
      expect(found).toEqual([...ids, ids[1]])
    },
  )

  test('pages by name go on when a child leaves while a page is made', async () => {
    const { page, ids } = await fivePatients()
    await page({})
    // The names do not need the plans, and are read before.
    const first = await inBetween(server, {
      lock: 'LOCK TABLE plan',
      change: `UPDATE clinic_connection SET ended_at = now() WHERE real_user_id = ${ids[0]}`,
      call: () => page({ limit: 2 }),
    })
    const second = await page({ limit: 2, after: first.next })
    const found = [...first.items, ...second.items]
    expect(found.map(({ real_user_id }) => real_user_id)).toEqual(ids.slice(1))
    expect(second.next).toBe(null)
  })

  test('pages by name go on when all children of one leave while it is made', async () => {
    const { page, ids } = await fivePatients()
    const first = await inBetween(server, {
      lock: 'LOCK TABLE plan',
      change: `UPDATE clinic_connection SET ended_at = now() WHERE real_user_id IN (${ids.slice(0, 2).join()})`,
      call: () => page({ limit: 1 }),
    })
    expect(first.items).toMatchObject([{ real_user_id: ids[2] }])
    expect(first.next).not.toBe(null)
  })

  test.each(['flags', 'name'])('one child alone, by %s', async (sort) => {
    const { other, reader, ids } = await fivePatients()
    const [, wanted = 0] = ids
    const one = async (query: Record<string, string | number>) =>
      (await clinicOf(server, other.clinic_id).children(reader, { sort, ...query })).body
    const all = await one({})
    const found = { flags: all.flags, next: null }
    expect(await one({ real_user_id: wanted })).toEqual({
      ...found,
      total: 1,
      items: all.items.filter((each: { real_user_id: number }) => each.real_user_id === wanted),
    })
    const none = { ...found, total: 0, items: [] }
    expect(await one({ real_user_id: wanted, search: '가' })).toEqual(none)
    const { real_user_id: stranger } = await addChild(server, owner.token)
    for (const absent of [stranger, 2 ** 31 - 1]) expect(await one({ real_user_id: absent })).toEqual(none)
    await server.trailWritten()
    const { rows } = await server.database.pool.query(
      `SELECT real_user_id FROM trail WHERE actor = $1 AND real_user_id = ANY ($2)`,
      [String(reader.id), [stranger, 2 ** 31 - 1]],
    )
    expect(rows).toEqual([])
  })

  test.each([
    { after: 'nonsense' },
    { after: cursorOf([0, 0, 2 ** 31]) },
    { after: cursorOf([0, 0, 1]), sort: 'name' },
    { after: cursorOf(['', 1, '가\0나']) },
    { after: cursorOf(['', 1, '가']), sort: 'name' },
    { after: cursorOf(['', 1, '\u0002none:AAAA']), sort: 'name' },
    { limit: 0 },
    { limit: 201 },
  ])('%j is 422', async (query) => {
    expect((await list(query)).status).toBe(422)
  })

  test('a child that is disconnected is gone from it', async () => {
    const { connection_id, real_user_id } = await addPatient({}, at)
    expect(await ids({})).toContain(real_user_id)
    await clinics(server).disconnect(owner, connection_id)
    expect(await ids({})).not.toContain(real_user_id)
  })
})

test('each child of a page stands on its trail', async () => {
  const { real_user_id } = await addPatient()
  await clinicOf(server, clinic.clinic_id).children(doctor)
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT actor_kind, actor, outcome FROM trail WHERE real_user_id = $1 AND operation = 'clinics.listChildren'`,
    [real_user_id],
  )
  expect(rows).toEqual([{ actor_kind: 'member', actor: String(doctor.id), outcome: 'ok' }])
})

test('what has changed while a clinic was out is in its list when it is let in again', async () => {
  const { real_user_id, unique_id, connection_id } = await addPatient()
  const used = async () =>
    (await clinicOf(server, clinic.clinic_id).children(doctor, { limit: 200 })).body.items.find(
      (each: { real_user_id: number }) => each.real_user_id === real_user_id,
    )?.used_28
  await upload(server, [night(unique_id, 1, 300)])
  expect(await used()).toBe(1)
  await clinics(server).disconnect(owner, connection_id)
  await upload(server, [night(unique_id, 0, 300)])
  expect(await used()).toBe(undefined)
  await connectClinic(server, owner, { code: clinic.code, real_user_id })
  expect(await used()).toBe(2)
})
