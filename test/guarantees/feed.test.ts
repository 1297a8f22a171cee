import { expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { changes, settled } from '../support/changes.ts'
import type { Change } from '../support/changes.ts'
import { bareDatabase } from '../support/database.ts'
import { devices } from '../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../support/family.ts'
import { inBetween, somebodyWaits } from '../support/lock-waits.ts'
import { useServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { storing } from '../support/treatments.ts'
import { serviceFor } from '../support/webhooks.ts'

/*
 * The feed misses no change and tells none twice, in whatever order transactions commit. FEED_SECONDS=60 lets it run for so
 * long; without it, it ends after a number of changes.
 */

const server = useServer()
const SECONDS = Number(process.env['FEED_SECONDS'] ?? 0)
const UPLOADS_OF_EACH = 25
const WRITERS = 8
/** So many changes a reader sees while a slow transaction stays open. */
const WHILE_SLOW = 40
const LIMIT = 7

interface Page {
  after: string
  items: Change[]
}

/** Follows the feed without a pause until `isOver`, and then to its end. */
async function read(token: string, after: string, isOver: () => boolean, pages: Page[]): Promise<void> {
  for (let at = after; ;) {
    const wasOver = isOver()
    if (wasOver) await settled(server)
    const { status, body } = await changes(server, token, { after: at, limit: LIMIT })
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    pages.push({ after: at, items: body.items })
    at = body.next
    if (wasOver && !body.has_more) return
  }
}

const latest = async (token: string): Promise<string> =>
  (await changes(server, token, { after: 'latest' })).body.next

const idsOf = (pages: readonly Page[]) =>
  pages.flatMap(({ items }) => items.map(({ id }) => id)).toSorted((one, other) => one - other)

test('8 writers, and transactions that commit late: each change once, and the same cursor tells the same', async () => {
  const parent = await signUp(server)
  const children = []
  for (let n = 0; n < WRITERS; n += 1) children.push(await addChild(server, parent.token))
  const ids = children.map(({ real_user_id }) => real_user_id)
  const [first] = children
  if (!first) throw new Error('There is no child')
  // Another device of a child: who stores a record holds its device until the end.
  const slowDevice = await addDevice(server)
  await devices(server).connect(parent, first.real_user_id, slowDevice)
  const { own } = await serviceFor(server, parent, ids)
  await settled(server)

  const readers = [parent.token, own].map((token) => ({ token, pages: [] as Page[] }))
  let isOver = false
  const starts = await Promise.all(readers.map(({ token }) => latest(token)))
  const reading = readers.map(({ token, pages }, n) => read(token, starts[n] ?? '', () => isOver, pages))

  const end = Date.now() + SECONDS * 1000
  const goesOn = (n: number) => (SECONDS > 0 ? Date.now() < end : n < UPLOADS_OF_EACH)
  const seen = () => idsOf(readers[0]?.pages ?? []).length
  const writing = new Set(children)
  const writers = children.map(async (child) => {
    const { unique_id } = child
    for (let n = 0; goesOn(n); n += 1)
      expect(
        (await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: n })])).status,
      ).toBe(200)
    writing.delete(child)
  })
  const written = async () =>
    Number(
      (
        await server.database.pool.query('SELECT count(*) FROM treatment WHERE real_user_id = ANY ($1)', [
          ids,
        ])
      ).rows[0]?.count,
    )

  // Each takes its transaction early, and its number when readers have passed that; it commits when more was written.
  const slow = (async () => {
    let commits = 0
    for (; writing.size > 0; commits += 1) {
      const client = await server.database.pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('SELECT pg_current_xact_id()')
        for (const count of [async () => seen(), written]) {
          const from = await count()
          while (writing.size > 0 && (await count()) < from + WHILE_SLOW / 2)
            await client.query('SELECT pg_sleep(0.01)')
          if (count !== written) await client.query(storing(slowDevice.unique_id, '2026-04-01', commits))
        }
        await client.query('COMMIT')
      } finally {
        client.release()
      }
    }
    return commits
  })()
  await Promise.all(writers)
  const commits = await slow
  isOver = true
  await Promise.all(reading)

  const { rows } = await server.database.pool.query(
    'SELECT id::float8 FROM treatment WHERE real_user_id = ANY ($1) ORDER BY id',
    [ids],
  )
  const expected = rows.map(({ id }) => id)
  expect(commits).toBeGreaterThan(1)
  expect(seen()).toBe(expected.length)
  for (const { pages } of readers) expect(idsOf(pages)).toEqual(expected)
  if (SECONDS > 0)
    console.log(
      `${expected.length} changes, ${commits} late, ${readers.map(({ pages }) => pages.length).join(' and ')} calls`,
    )

  for (const { token, pages } of readers)
    for (const { after, items } of pages.slice(0, 200)) {
      const again = (await changes(server, token, { after, limit: LIMIT })).body.items
      expect(again.slice(0, items.length)).toEqual(items)
    }
})

test('transactions without changes hold nobody up, in this database or another', async () => {
  const parent = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, parent.token)
  const member = await addMember(server, parent, { real_user_id, role: 'viewer' })
  const after = await latest(member.token)
  const other = await bareDatabase()
  const database = await openDatabase(other.url, { pool: 1 })
  const elsewhere = await database.pool.connect()
  const here = await server.database.pool.connect()
  try {
    for (const each of [here, elsewhere]) {
      await each.query('BEGIN')
      await each.query('SELECT pg_current_xact_id()')
    }
    expect((await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')])).status).toBe(200)
    await settled(server)
    const { body } = await changes(server, member.token, { after })
    expect(body.items).toMatchObject([{ kind: 'treatment.stored', date: '2026-03-01' }])

    // What the older transaction changes now comes behind what was told, and the place of the reader holds meanwhile.
    await here.query(storing(unique_id, '2026-03-02', 2))
    expect((await changes(server, member.token, { after: body.next })).body).toMatchObject({ items: [] })
    await here.query('COMMIT')
    await settled(server)
    const later = await changes(server, member.token, { after: body.next })
    expect(later.body.items).toMatchObject([{ kind: 'treatment.stored', date: '2026-03-02' }])
  } finally {
    here.release()
    elsewhere.release()
    await database.close()
    await other.drop()
  }
})

test('an upload that is under way when a member comes is either there to be read, or told', async () => {
  const parent = await signUp(server)
  const { real_user_id, unique_id, device_id } = await addChild(server, parent.token)
  const member = await signUp(server)
  const admit = `INSERT INTO membership (real_user_id, root_user_id, role, since)
    VALUES (${real_user_id}, ${member.id}, 'viewer', now())`
  const read = async () => {
    const { body } = await server.get('/api/v1/beta/treatment', {
      token: member.token,
      query: { real_user_id, end_date: '2026-03-31' },
    })
    return body.items.length
  }
  const after = await latest(member.token)

  // The upload holds the device: the membership waits until it is there to be read.
  const pending = await inBetween(server, {
    lock: `SELECT FROM device WHERE id = ${device_id} FOR UPDATE`,
    change: storing(unique_id, '2026-03-01', 1),
    call: () => server.database.pool.query(admit),
  })
  expect(pending.rowCount).toBe(1)
  expect(await read()).toBe(1)
  await settled(server)
  expect((await changes(server, member.token, { after })).body.items).toEqual([])

  // The membership is not committed yet: the upload waits, and then is told.
  await server.database.pool.query('DELETE FROM membership WHERE root_user_id = $1', [member.id])
  const holder = await server.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(admit)
    const uploading = upload(server, [devlogItem(unique_id, '2026-03-02T21:00:00')])
    await somebodyWaits(server.database)
    await holder.query('COMMIT')
    expect((await uploading).status).toBe(200)
  } finally {
    holder.release()
  }
  await settled(server)
  expect((await changes(server, member.token, { after })).body.items).toMatchObject([{ date: '2026-03-02' }])
})
