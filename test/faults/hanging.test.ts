import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { expect, test } from 'vitest'
import { beginUpload } from '../support/begun-upload.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { embeddedPostgres, isAlive, startServiceProcess } from '../support/service-process.ts'
import { SLOW_BODY_CHECK, stretched } from '../support/stretched-timers.ts'

test('requests that never end do not keep a service from stopping', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-hanging-'))
  const service = await startServiceProcess(directory, stretched(SLOW_BODY_CHECK, 9500))
  await service.readiness(200)
  const { pid, url } = await embeddedPostgres(directory)
  const database = await openDatabase(url, { pool: 2 })
  const server = { ...service, database }
  const device = (await addChild(server, (await signUp(server)).token)).unique_id
  const holder = await database.pool.connect()
  holder.on('error', () => {})
  await holder.query('BEGIN')
  await holder.query('SELECT FROM device FOR UPDATE')
  const locked = upload(service, [devlogItem(device, '2026-03-01T21:30:00')]).catch(() => undefined)
  const endless = await beginUpload(service.url, [devlogItem(device, '2026-03-01T22:30:00')])
  await somebodyWaits(database)
  service.terminate()
  expect(await service.exited).toBe(0)
  // After which it would have been 1.
  expect(service.log()).toContain('A limit of 9500 ms')
  expect(isAlive(pid)).toBe(false)
  expect(await locked).toBeUndefined()
  expect(await endless.response).toBe('socket hang up')
  holder.release(true)
  await database.close()
  await rm(directory, { recursive: true, force: true })
})
