import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { changes, settled } from '../support/changes.ts'
import { cloneTemplate } from '../support/database.ts'
import { urlOf } from '../support/database-url.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { placeForData } from '../support/machines/place-for-data.ts'
import { startServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { createTemplate, TEMPLATE } from '../support/template.ts'
import { storing } from '../support/treatments.ts'

/*
 * Somebody prepares a transaction with changes, as a transaction manager does that commits in two phases. It belongs to no session and
 * outlives a crash. The feed waits for it, and goes on once it has ended, whichever way.
 */

const settings = { fsync: 'off', max_prepared_transactions: '4' }

test('a prepared transaction with changes is not passed, also after a crash, and holds nobody up once it has ended', async () => {
  const directory = await mkdtemp(join(await placeForData(), 'companion-prepared-'))
  const open = () => openEmbeddedPostgres({ directory, settings })
  let postgres = await open()
  await createTemplate(postgres.url)
  const name = new URL((await cloneTemplate([postgres.url], TEMPLATE)).url).pathname.slice(1)
  let server = await startServer({}, urlOf(postgres.url, name))
  try {
    const parent = await signUp(server)
    const child = await addChild(server, parent.token)
    const other = await addChild(server, parent.token)
    const members = []
    for (const { real_user_id } of [child, other])
      members.push(await addMember(server, parent, { real_user_id, role: 'viewer' }))
    const [of, ofOther] = members.map(({ token }) => ({ token, after: '' }))
    if (!of || !ofOther) throw new Error('There are no members')
    const readers = [of, ofOther]
    for (const reader of readers)
      reader.after = (await changes(server, reader.token, { after: 'latest' })).body.next
    /** What a reader is told now; the next time it goes on from there. */
    const read = async (reader: typeof of) => {
      const { status, body } = await changes(server, reader.token, { after: reader.after })
      expect(status).toBe(200)
      reader.after = body.next
      return body.items.map(({ date }: { date: string }) => date)
    }
    const crash = async () => {
      const { pid } = postgres
      await server.stop()
      process.kill(pid, 'SIGQUIT')
      await postgres.stop()
      postgres = await open()
      server = await startServer({}, urlOf(postgres.url, name))
    }
    const oldest = async () =>
      Number(
        /^companion_oldest_transaction_seconds (.*)$/m.exec(String((await server.get('/metrics')).body))?.[1],
      )

    for (const [ending, day] of [
      ['COMMIT', 1],
      ['ROLLBACK', 3],
    ] as const) {
      const prepared = `2026-03-0${day}`
      const later = `2026-03-0${day + 1}`
      const hand = await openDatabase(urlOf(postgres.url, name), { pool: 1 })
      await hand.pool.query(
        `BEGIN; ${storing(child.unique_id, prepared, day)}; PREPARE TRANSACTION 'by hand'`,
      )
      await hand.close()
      expect((await upload(server, [devlogItem(other.unique_id, `${later}T21:00:00`)])).status).toBe(200)
      for (const when of ['before the crash', 'after it']) {
        for (const reader of readers) expect([when, await read(reader)]).toEqual([when, []])
        if (when === 'before the crash') await crash()
      }
      await expect.poll(oldest).toBeGreaterThan(0)
      await server.database.pool.query(`${ending} PREPARED 'by hand'`)
      await settled(server)
      expect(await read(of)).toEqual(ending === 'COMMIT' ? [prepared] : [])
      expect(await read(ofOther)).toEqual([later])
      for (const reader of readers) expect(await read(reader)).toEqual([])
    }

    // One that changes nothing that is told, or another database, is passed.
    const elsewhere = await openDatabase(postgres.url, { pool: 1 })
    await elsewhere.pool.query(`BEGIN; CREATE TABLE mark (); PREPARE TRANSACTION 'elsewhere'`)
    await server.database.pool.query(`BEGIN; CREATE TABLE mark (); PREPARE TRANSACTION 'without changes'`)
    expect((await upload(server, [devlogItem(child.unique_id, '2026-03-05T21:00:00')])).status).toBe(200)
    await settled(server)
    expect(await read(of)).toEqual(['2026-03-05'])
    await elsewhere.pool.query(`ROLLBACK PREPARED 'elsewhere'`)
    await elsewhere.close()
  } finally {
    await server.stop()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}, 120_000)
