import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ddi } from '../../support/ddi.ts'
import { addChild, addDevice, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { keep, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { startServer, useServer } from '../../support/server.ts'

/* hawkBit's Direct Device Integration API. */

const bodyOf = async (response: Response): Promise<any> => response.json()

const server = useServer({ FIRMWARE_DDI: 'on' })
const { withKey, call } = ddi(server)

let parent: Account
let signed: SignedImage
beforeAll(async () => {
  parent = await signUp(server)
  signed = signedImage({ hardware: 'DDI' })
  await keep(server, signed)
  await release(server, signed)
})

async function offeredDevice() {
  const child = await addChild(server, parent.token)
  const key = await withKey(child, 'DDI')
  return { ...child, key, ask: (path = '', init: RequestInit = {}) => call({ ...child, key }, path, init) }
}

const known = async (device_id: number) => {
  const { rows } = await server.database.pool.query(
    `SELECT d.now_firmware_id AS runs, o.outcome, o.detail, o.failed_tries FROM device d
     JOIN device_firmware o ON o.device_id = d.id WHERE d.id = $1`,
    [device_id],
  )
  return rows[0]
}

const feedback = (execution: string, finished: string, details: string[] = []): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    id: '1',
    time: '20261126T230000',
    status: { execution, result: { finished, progress: { cnt: 1, of: 1 } }, details },
  }),
})

test('a client asks, is told of the deployment, and loads its one artifact', async () => {
  const { ask, unique_id } = await offeredDevice()
  const id = signed.fields.firmware_id
  const base = `${server.url}/DEFAULT/controller/v1/${unique_id}`
  const asked = await ask()
  expect([asked.status, asked.headers.get('content-type')]).toEqual([
    200,
    'application/hal+json; charset=utf-8',
  ])
  expect(await asked.json()).toEqual({
    config: { polling: { sleep: '00:05:00' } },
    _links: { deploymentBase: { href: `${base}/deploymentBase/${id}` } },
  })
  const download = { href: `${base}/softwaremodules/${id}/artifacts/firmware-${id}.bin` }
  const { createHash } = await import('node:crypto')
  const hash = (name: string) => createHash(name).update(signed.image).digest('hex')
  expect(await (await ask(`/deploymentBase/${id}`)).json()).toEqual({
    id: String(id),
    deployment: {
      download: 'forced',
      update: 'forced',
      chunks: [
        {
          part: 'bApp',
          version: '1.4.0',
          name: 'DDI',
          metadata: [{ key: 'manifest', value: Buffer.from(signed.manifest).toString('base64') }],
          artifacts: [
            {
              filename: `firmware-${id}.bin`,
              hashes: { sha1: hash('sha1'), sha256: hash('sha256') },
              size: 200_000,
              _links: { download, 'download-http': download },
            },
          ],
        },
      ],
    },
  })
  const artifact = `/softwaremodules/${id}/artifacts/firmware-${id}.bin`
  const head = await ask(artifact, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
    200,
    '200000',
    'bytes',
  ])
  const part = await ask(artifact, { headers: { range: 'bytes=150000-' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 150000-199999/200000'])
  expect(Buffer.from(await part.arrayBuffer()).equals(signed.image.subarray(150_000))).toBe(true)
  expect((await ask(artifact, { headers: { range: 'bytes=200000-' } })).status).toBe(416)
})

test('an archive for SWUpdate has the name that SWUpdate looks for', async () => {
  const update = signedImage({ hardware: 'DDI-SWU', image: Buffer.from('070702 and so on') })
  await keep(server, update)
  await release(server, update)
  const child = await addChild(server, parent.token)
  const key = await withKey(child, 'DDI-SWU')
  const id = update.fields.firmware_id
  const response = await call({ ...child, key }, `/deploymentBase/${id}`)
  expect(await response.json()).toMatchObject({
    deployment: { chunks: [{ artifacts: [{ filename: `firmware-${id}.swu` }] }] },
  })
  const loaded = await call({ ...child, key }, `/softwaremodules/${id}/artifacts/firmware-${id}.swu`)
  expect(await loaded.text()).toBe('070702 and so on')
})

test('attributes are asked for only while nothing is offered, and are taken', async () => {
  const child = await addChild(server, parent.token)
  const key = await withKey(child, 'NOTHING')
  const device = { ...child, key }
  const { _links: links } = await bodyOf(await call(device))
  expect(links).toEqual({ configData: { href: expect.stringMatching(/\/configData$/) } })
  const put = (body: string) => call(device, '/configData', { method: 'PUT', body })
  expect((await put('{"mode":"merge","data":{"VIN":"1"}}')).status).toBe(200)
  expect((await put('x'.repeat(100_001))).status).toBe(413)
})

test.each([
  ['proceeding', 'none', 'started'],
  ['scheduled', 'none', 'started'],
  ['resumed', 'none', 'started'],
  ['download', 'none', 'started'],
  ['downloaded', 'none', 'started'],
  ['closed', 'success', 'installed'],
  ['closed', 'none', 'installed'],
  ['closed', 'failure', 'failed'],
  ['canceled', 'none', 'failed'],
  ['rejected', 'none', 'refused'],
])('feedback %s, %s is the report %s', async (execution, finished, outcome) => {
  const { ask, device_id } = await offeredDevice()
  await ask()
  const path = `/deploymentBase/${signed.fields.firmware_id}/feedback`
  expect((await ask(path, feedback(execution, finished, ['first', 'last line\n'.repeat(20)]))).status).toBe(
    200,
  )
  expect(await known(device_id)).toMatchObject({
    runs: outcome === 'installed' ? signed.fields.firmware_id : 1,
    outcome,
    detail: outcome === 'installed' ? null : 'last line '.repeat(20).slice(0, 64),
    failed_tries: ['failed', 'refused'].includes(outcome) ? 1 : 0,
  })
})

test('refuses feedback that is none, and about a firmware that was never offered', async () => {
  const { ask } = await offeredDevice()
  const said = async (path: string, init: RequestInit) => {
    const response = await ask(path, init)
    return [response.status, (await bodyOf(response)).detail]
  }
  const own = `/deploymentBase/${signed.fields.firmware_id}`
  expect(await said(`${own}/feedback`, feedback('closed', 'success'))).toEqual([404, 'Firmware not found'])
  await ask()
  expect(await said(`${own}/feedback`, feedback('finished', 'success'))).toEqual([
    400,
    'Feedback is not valid',
  ])
  expect(await said(`${own}/feedback`, { ...feedback('closed', 'success'), body: '{"id":' })).toEqual([
    400,
    'Request body is not valid JSON',
  ])
  expect(await said('/deploymentBase/4000000000/feedback', feedback('closed', 'success'))).toEqual([
    404,
    'Firmware not found',
  ])
  expect(await said('/deploymentBase/9999999', {})).toEqual([404, 'Firmware not found'])
  expect(await said('/softwaremodules/9999999/artifacts/firmware-9999999.bin', {})).toEqual([
    404,
    'Firmware not found',
  ])
  expect(await said('/softwaremodules/1/artifacts/firmware-2.bin', {})).toEqual([404, 'Resource not found'])
  expect(await said('/cancelAction/1', {})).toEqual([404, 'Resource not found'])
  const wrongMethod = await ask('', { method: 'POST' })
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

test('only the key of the device opens it; of a device that is made again, only the last one', async () => {
  const one = await offeredDevice()
  const other = await offeredDevice()
  const without = await addChild(server, parent.token)
  const refused = async (device: { unique_id: string; key?: string }, authorization?: string) => {
    const response = await fetch(`${server.url}/DEFAULT/controller/v1/${device.unique_id}`, {
      headers: authorization === undefined ? {} : { authorization },
    })
    return [response.status, (await bodyOf(response)).detail, response.headers.get('www-authenticate')]
  }
  const wrong = [401, 'Could not validate credentials', 'TargetToken']
  expect(await refused(one)).toEqual(wrong)
  expect(await refused(one, `TargetToken ${other.key}`)).toEqual(wrong)
  expect(await refused(one, `GatewayToken ${one.key}`)).toEqual(wrong)
  expect(await refused(one, `Bearer ${parent.token}`)).toEqual(wrong)
  expect(await refused(without, `TargetToken ${one.key}`)).toEqual(wrong)
  const { rows } = await server.database.pool.query('SELECT 1 FROM device_firmware WHERE device_id = $1', [
    one.device_id,
  ])
  expect(rows).toEqual([])
  const newer = await withKey(one, 'DDI')
  expect((await one.ask()).status).toBe(401)
  expect((await call({ ...one, key: newer })).status).toBe(200)
  const kept = await server.database.pool.query('SELECT ddi_key_hash FROM device WHERE id = $1', [
    one.device_id,
  ])
  expect(kept.rows[0].ddi_key_hash).toHaveLength(32)
})

test('an unknown device is 404 and counted; a known one behind the same address goes on', async () => {
  const device = await offeredDevice()
  const limited = await startServer({ FIRMWARE_DDI: 'on', RATE_LIMITS: 'on' }, server.databaseUrl)
  const ask = (unique_id: string, key = device.key) =>
    fetch(`${limited.url}/DEFAULT/controller/v1/${unique_id}`, {
      headers: { authorization: `TargetToken ${key}` },
    })
  const statuses: number[] = []
  for (let n = 0; n < 22; n += 1) statuses.push((await ask(randomUUID())).status)
  expect(statuses).toEqual([...Array<number>(20).fill(404), 429, 429])
  expect((await ask(device.unique_id)).status).toBe(200)
  expect((await ask('no-uuid')).status).toBe(404)
  await limited.stop()
})

test('after five whole loads the artifact is 429', async () => {
  const { ask, device_id } = await offeredDevice()
  const id = signed.fields.firmware_id
  await ask()
  await server.database.pool.query(
    `UPDATE device_firmware SET loads = array_fill(now(), ARRAY[5]) WHERE device_id = $1`,
    [device_id],
  )
  const response = await ask(`/softwaremodules/${id}/artifacts/firmware-${id}.bin`)
  expect([response.status, Number(response.headers.get('retry-after')) > 86_000]).toEqual([429, true])
})

test('a stopped release is offered no more', async () => {
  const update = signedImage({ hardware: 'DDI-STOP' })
  await keep(server, update)
  const released = await release(server, update)
  const child = await addChild(server, parent.token)
  const device = { ...child, key: await withKey(child, 'DDI-STOP') }
  const id = update.fields.firmware_id
  expect((await call(device, `/deploymentBase/${id}`)).status).toBe(200)
  await server.database.pool.query(`UPDATE firmware_release SET state = 'stopped' WHERE id = $1`, [released])
  expect(await (await call(device)).json()).not.toHaveProperty('_links.deploymentBase')
  expect((await call(device, `/deploymentBase/${id}`)).status).toBe(404)
  expect((await call(device, `/softwaremodules/${id}/artifacts/firmware-${id}.bin`)).status).toBe(404)
})

test('calls about a child are on the trail, with what became of them', async () => {
  const { ask, real_user_id } = await offeredDevice()
  const id = signed.fields.firmware_id
  await ask()
  await (await ask(`/softwaremodules/${id}/artifacts/firmware-${id}.bin`)).arrayBuffer()
  await ask(`/deploymentBase/${id}/feedback`, feedback('closed', 'success'))
  await ask(`/deploymentBase/${id}`)
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT DISTINCT operation, outcome, actor_kind FROM trail WHERE real_user_id = $1 AND operation LIKE 'ddi.%' ORDER BY 1, 2`,
    [real_user_id],
  )
  const row = (operation: string, outcome: string) => ({ operation, outcome, actor_kind: 'device' })
  expect(rows).toEqual([
    row('ddi.check', '404 Firmware not found'),
    row('ddi.check', 'ok'),
    row('ddi.download', 'ok'),
    row('ddi.report', 'ok'),
  ])
})

test('without FIRMWARE_DDI, and for another tenant, there is no such path', async () => {
  const { unique_id, key } = await offeredDevice()
  const headers = { authorization: `TargetToken ${key}` }
  const off = await startServer({}, server.databaseUrl)
  const refused = await fetch(`${off.url}/DEFAULT/controller/v1/${unique_id}`, { headers })
  expect([refused.status, await refused.json()]).toEqual([404, { detail: 'Resource not found' }])
  await off.stop()
  expect((await fetch(`${server.url}/OTHER/controller/v1/${unique_id}`, { headers })).status).toBe(404)
})

test('a device that nobody wears is offered nothing', async () => {
  const device = await addDevice(server)
  const key = await withKey(device, 'DDI')
  expect(await (await call({ ...device, key })).json()).toMatchObject({ _links: { configData: {} } })
})
