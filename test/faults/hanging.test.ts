import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@companion/server/database/database.ts'
import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { embeddedPostgres, isAlive, startServiceProcess } from '../support/service-process.ts'

test('requests that never end do not keep a service from stopping', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-hanging-'))
  const service = await startServiceProcess(directory)
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
  const endless = new Promise((resolve) => {
    const path = `${service.url}/api/v1/gamma/device/devlog`
    const headers = { 'content-type': 'application/json', 'content-length': 1000 }
    request(path, { method: 'POST', headers }).on('error', resolve).on('response', resolve).write('[')
  })
  await pause(300)
  const stopped = Date.now()
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(Date.now() - stopped).toBeLessThan(10_000)
  expect(isAlive(pid)).toBe(false)
  expect(await locked).toBeUndefined()
  expect(await endless).toBeInstanceOf(Error)
  holder.release(true)
  await database.close()
  await rm(directory, { recursive: true, force: true })
})
