import { createHash, randomBytes } from 'node:crypto'
import { createCompanion, isOffline } from '@companion/sdk'
import { downloadFirmware, sha256 } from '@companion/sdk/firmware'
import type { FirmwarePieces } from '@companion/sdk/firmware'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import { keep, release, signedImage } from '../support/firmware.ts'
import type { SignedImage } from '../support/firmware.ts'
import { startProxy } from '../support/machines/proxy.ts'
import type { Proxy } from '../support/machines/proxy.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const SIZE = 600_000
const PIECE = 131_072

let signed: SignedImage
let line: Proxy
/** What the line does to a piece of a response; true cuts it there. */
let meet: (piece: Buffer) => boolean
let companion: ReturnType<typeof createCompanion>
let token: string
let device_id: number

beforeAll(async () => {
  line = await startProxy(server.url, (piece) => meet(piece))
  signed = signedImage({ hardware: 'SDK', image: randomBytes(SIZE) })
  await keep(server, signed)
  await release(server, signed)
  return () => line.close()
})

beforeEach(async () => {
  meet = () => false
  const parent = await signUp(server)
  token = parent.token
  device_id = (await addChild(server, token)).device_id
  await server.database.pool.query(`UPDATE device SET hardware = 'SDK' WHERE id = $1`, [device_id])
  companion = createCompanion({ baseUrl: line.url, retries: 0 })
  await companion.auth.signIn({ username: parent.email, password: PASSWORD })
})

const offered = async () => {
  const { update } = await companion.firmware.check({ device_id })
  if (!update) throw new Error('nothing is offered')
  return update
}

function memory() {
  const kept = new Map<string, Uint8Array>()
  const pieces: FirmwarePieces = {
    read: async (name) => kept.get(name),
    save: async (name, bytes) => kept.set(name, bytes),
    remove: async (name) => kept.delete(name),
  }
  return { kept, pieces }
}

test('loads what was offered, and tells how far it is', async () => {
  const { kept, pieces } = memory()
  const loaded: number[] = []
  const image = await downloadFirmware({
    companion,
    device_id,
    ...(await offered()),
    pieces,
    onProgress: (progress) => {
      expect(progress.total).toBe(SIZE)
      loaded.push(progress.loaded)
    },
  })
  expect(Buffer.from(image).equals(signed.image)).toBe(true)
  await expect.poll(() => loaded).toEqual([1, 2, 3, 4, 5].map((n) => Math.min(n * PIECE, SIZE)))
  expect(kept.size).toBe(0)
})

test('goes on behind the last piece where the line was cut', async () => {
  const update = await offered()
  const { kept, pieces } = memory()
  let passed = 0
  meet = (piece) => (passed += piece.length) > 300_000
  const [cut] = await Promise.allSettled([downloadFirmware({ companion, device_id, ...update, pieces })])
  expect(cut).toMatchObject({ status: 'rejected' })
  if (cut.status === 'rejected') expect(isOffline(cut.reason)).toBe(true)
  expect(kept.size).toBe(2)
  passed = 0
  meet = (piece) => {
    passed += piece.length
    return false
  }
  const image = await downloadFirmware({ companion, device_id, ...update, pieces })
  expect(Buffer.from(image).equals(signed.image)).toBe(true)
  expect(passed).toBeLessThan(SIZE - 2 * PIECE + 10_000)
})

test('loads again what was kept in part, and forgets what is not the image', async () => {
  const update = await offered()
  const { kept, pieces } = memory()
  kept.set(`${update.sha256}-0`, new Uint8Array(10))
  kept.set(`${update.sha256}-1`, new Uint8Array(PIECE))
  const load = () => downloadFirmware({ companion, device_id, ...update, pieces })
  await expect(load()).rejects.toMatchObject({ name: 'FirmwareDownloadError', reason: 'hash' })
  expect(kept.size).toBe(0)
  expect(Buffer.from(await load()).equals(signed.image)).toBe(true)
})

test('another file than the one that was offered is not taken', async () => {
  const other = { ...(await offered()), sha256: 'ab'.repeat(32) }
  await expect(downloadFirmware({ companion, device_id, ...other })).rejects.toMatchObject({
    name: 'FirmwareDownloadError',
    reason: 'changed',
  })
})

test('says so when it is offered no more, and when it was aborted', async () => {
  const update = await offered()
  await expect(
    downloadFirmware({ companion, device_id, ...update, firmware_id: 9_999_999 }),
  ).rejects.toMatchObject({ name: 'CompanionError', data: { status: 404, detail: 'Firmware not found' } })
  const controller = new AbortController()
  controller.abort()
  await expect(
    downloadFirmware({ companion, device_id, ...update, signal: controller.signal }),
  ).rejects.toMatchObject({ cause: { name: 'AbortError' } })
})

test('a request of your own takes the place of a client', async () => {
  const update = await offered()
  const by = (accessToken: string, sha: string = update.sha256) =>
    downloadFirmware({
      ...update,
      sha256: sha,
      fetch: (headers) =>
        fetch(`${server.url}/api/v1/beta/ota/file?device_id=${device_id}&firmware_id=${update.firmware_id}`, {
          headers: { ...headers, authorization: `Bearer ${accessToken}` },
        }),
    })
  expect(Buffer.from(await by(token)).equals(signed.image)).toBe(true)
  await expect(by('wrong')).rejects.toMatchObject({ reason: 'refused', status: 401 })
  await expect(by(token, 'ab'.repeat(32))).rejects.toMatchObject({ reason: 'changed' })
})

test('the hash is SHA-256', async () => {
  for (const size of [0, 1, 55, 56, 64, 65, 1000]) {
    const bytes = randomBytes(size)
    // In another engine it answers a promise.
    expect(await Promise.resolve(sha256(new Uint8Array(bytes)))).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    )
  }
})
