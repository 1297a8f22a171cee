import { randomBytes } from 'node:crypto'
import { open, readdir, readlink, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { keep, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { useServer } from '../../support/server.ts'

const detailOf = (body: any) => body.detail

const server = useServer()

let parent: Account
let device_id: number
let signed: SignedImage
beforeAll(async () => {
  parent = await signUp(server)
  device_id = (await addChild(server, parent.token)).device_id
  signed = signedImage({ hardware: 'DOWNLOAD' })
  await keep(server, signed)
  await release(server, signed)
  await server.database.pool.query(`UPDATE device SET hardware = 'DOWNLOAD' WHERE id = $1`, [device_id])
})

const load = (
  headers: Record<string, string> = {},
  more: { firmware_id?: number; device_id?: number; method?: string } = {},
) => {
  const { method = 'GET', ...named } = more
  const query = new URLSearchParams({
    device_id: String(named.device_id ?? device_id),
    firmware_id: String(named.firmware_id ?? signed.fields.firmware_id),
  })
  return fetch(`${server.url}/api/v1/beta/ota/file?${query.toString()}`, {
    method,
    headers: { authorization: `Bearer ${parent.token}`, ...headers },
  })
}

const etag = () => `"${Buffer.from(signed.fields.sha256).toString('hex')}"`
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('the image is loaded as it was signed', async () => {
  const response = await load()
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '200000',
    etag: etag(),
    'accept-ranges': 'bytes',
  })
  expect((await bytes(response)).equals(signed.image)).toBe(true)
})

test('a load that was cut goes on at any byte, in pieces of any size', async () => {
  for (const [first, last] of [
    [0, 0],
    [65_535, 65_536],
    [1, 199_998],
    [131_072, 199_999],
  ] as const) {
    const response = await load({ range: `bytes=${first}-${last}` })
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${first}-${last}/200000`,
    ])
    expect((await bytes(response)).equals(signed.image.subarray(first, last + 1))).toBe(true)
  }
  const rest = await load({ range: 'bytes=150000-', 'if-range': etag() })
  expect((await bytes(rest)).equals(signed.image.subarray(150_000))).toBe(true)
  const other = await load({ range: 'bytes=150000-', 'if-range': '"other"' })
  expect([other.status, (await bytes(other)).length]).toEqual([200, 200_000])
})

test('HEAD has the same headers and no body', async () => {
  const response = await load({}, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length'), (await bytes(response)).length]).toEqual([
    200,
    '200000',
    0,
  ])
})

test('a range beyond the end is 416', async () => {
  const response = await load({ range: 'bytes=200000-' })
  expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */200000'])
  expect(await response.json()).toEqual({ detail: 'Range is not satisfiable' })
})

test('refuses what is not offered, and the device of another account', async () => {
  const refused = async (...call: Parameters<typeof load>) => {
    const response = await load(...call)
    return [response.status, detailOf(await response.json())]
  }
  expect(await refused({}, { firmware_id: 9_999_999 })).toEqual([404, 'Firmware not found'])
  expect(await refused({}, { device_id: 2 ** 31 - 1 })).toEqual([404, 'Not Found Device'])
  const stranger = await signUp(server)
  expect(await refused({ authorization: `Bearer ${stranger.token}` })).toEqual([401, 'Not authorized user'])
})

/** A device that is offered the image, and when it has loaded it whole. */
async function anotherDevice() {
  const child = await addChild(server, parent.token)
  await server.database.pool.query(`UPDATE device SET hardware = 'DOWNLOAD' WHERE id = $1`, [child.device_id])
  const loads = async (): Promise<Date[]> => {
    const { rows } = await server.database.pool.query(
      'SELECT loads FROM device_firmware WHERE device_id = $1',
      [child.device_id],
    )
    return rows[0]?.loads
  }
  return { other: { device_id: child.device_id }, loads }
}

test('after five whole loads in a day the device waits; parts count when they reach the end', async () => {
  const { other, loads } = await anotherDevice()
  for (let n = 1; n <= 5; n += 1) {
    await bytes(await load({ range: 'bytes=0-99999' }, other))
    await bytes(await load({ range: 'bytes=100000-' }, other))
    await expect.poll(async () => (await loads()).length).toBe(n)
  }
  const response = await load({}, other)
  expect([response.status, await response.json()]).toEqual([429, { detail: 'Too many requests' }])
  const wait = Number(response.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(86_000)
  expect(wait).toBeLessThanOrEqual(86_400)
  await server.database.pool.query(
    `UPDATE device_firmware SET loads[1] = now() - interval '25 hours' WHERE device_id = $1`,
    [other.device_id],
  )
  expect((await load({}, other)).status).toBe(200)
})

test('a load that goes on where an earlier response was cut behind the service is no further load', async () => {
  const { other, loads } = await anotherDevice()
  const loadFrom = async (range: string) => {
    const before = await loads()
    const response = await load({ range }, other)
    const { length } = await bytes(response)
    if (response.ok) await expect.poll(loads).not.toEqual(before)
    return [response.status, length]
  }
  // A proxy has taken all of each response from the service, and the device got less of it.
  for (let n = 1; n <= 5; n += 1) {
    expect(await loadFrom('bytes=0-')).toEqual([206, 200_000])
    expect(await loadFrom('bytes=50000-')).toEqual([206, 150_000])
    expect(await loadFrom('bytes=100000-')).toEqual([206, 100_000])
    expect((await loads()).length).toBe(n)
  }
  expect(await loadFrom('bytes=150000-')).toEqual([206, 50_000])
  // Nor is a further one the last piece, however often the line loses it, and wherever it begins.
  for (const [from, length] of [
    [150_000, 50_000],
    [150_000, 50_000],
    [120_000, 80_000],
  ])
    expect(await loadFrom(`bytes=${from}-`)).toEqual([206, length])
  expect((await loads()).length).toBe(5)
  expect(await loadFrom('bytes=0-')).toEqual([429, '{"detail":"Too many requests"}'.length])
})

test('a load in pieces whose last one is lost again and again is one load', async () => {
  const { other, loads } = await anotherDevice()
  for (let n = 1; n <= 2; n += 1) {
    for (let from = 0; from < 150_000; from += 50_000)
      expect((await bytes(await load({ range: `bytes=${from}-${from + 49_999}` }, other))).length).toBe(
        50_000,
      )
    for (let again = 0; again < 7; again += 1) {
      const before = await loads()
      // To ask for the headers alone begins no load.
      await load({}, { ...other, method: 'HEAD' })
      const response = await load({ range: 'bytes=150000-199999' }, other)
      expect([response.status, (await bytes(response)).length]).toEqual([206, 50_000])
      await expect.poll(loads).not.toEqual(before)
    }
    expect((await loads()).length).toBe(n)
  }
})

/** Opens a file of this process that has no name any more, by its size. */
async function fileOfSize(size: number): Promise<FileHandle> {
  for (const descriptor of await readdir('/proc/self/fd')) {
    const path = `/proc/self/fd/${descriptor}`
    const target = await readlink(path).catch(() => '')
    if (target.endsWith(' (deleted)') && (await stat(path)).size === size) return open(path, 'r+')
  }
  throw new Error('there is no such file')
}

test('what the disk has changed is not sent: each piece is compared with its hash and read again', async () => {
  const { createFirmwareFiles } = await import('@companion/server/firmware/files.ts')
  // Of a size of its own, by which its file is found.
  const other = signedImage({ hardware: 'DISK', image: randomBytes(200_003) })
  await keep(server, other)
  const { fields, image } = other
  const files = createFirmwareFiles(server.database)
  onTestFinished(() => files.close())
  const asked = { firmware_id: fields.firmware_id, size: fields.size, sha256: Buffer.from(fields.sha256) }
  const opened = await files.open(asked)
  const read = async () => {
    const parts: Buffer[] = []
    for await (const part of opened.bytes(0, fields.size - 1)) parts.push(Buffer.from(part))
    return Buffer.concat(parts)
  }
  expect((await read()).equals(image)).toBe(true)
  // The file has no name, but is there: this changes a byte of its second piece, and cuts off its last one.
  const file = await fileOfSize(fields.size)
  await file.write(Buffer.from([255 - (image[70_000] ?? 0)]), 0, 1, 70_000)
  await file.truncate(190_000)
  expect((await read()).equals(image)).toBe(true)
  // And what was wrong there has been written again.
  expect((await file.stat()).size).toBe(fields.size)
  await file.close()
  await opened.close()
  await server.database.pool.query(
    'UPDATE firmware_piece SET bytes = set_byte(bytes, 5, 1 - get_byte(bytes, 5) % 2) WHERE firmware_id = $1 AND number = 1',
    [fields.firmware_id],
  )
  await expect(createFirmwareFiles(server.database).open(asked)).rejects.toThrow(
    /not the image that was signed/,
  )
})
