import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { keep, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { useServer } from '../../support/server.ts'

const detailOf = (body: any) => body.detail

const server = useServer()

let signed: SignedImage
let device: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  device = await addChild(server, (await signUp(server)).token)
  signed = signedImage({ hardware: 'LOADING' })
  await keep(server, signed)
  await release(server, signed)
  await server.database.pool.query(`UPDATE device SET hardware = 'LOADING' WHERE id = $1`, [device.device_id])
})

const load = (
  headers: Record<string, string> = {},
  { id = signed.fields.firmware_id, unique_id = device.unique_id } = {},
) => fetch(`${server.url}/api/v1/gamma/device/firmware/${id}?unique_id=${unique_id}`, { headers })

test('a device loads the image in pieces of 4 kB', async () => {
  const pieces: Buffer[] = []
  for (let at = 0; at < 200_000; at += 4096) {
    const response = await load({ range: `bytes=${at}-${at + 4095}` })
    expect(response.status).toBe(206)
    pieces.push(Buffer.from(await response.arrayBuffer()))
  }
  expect(Buffer.concat(pieces).equals(signed.image)).toBe(true)
})

test('refuses what is not offered, what is beyond the end, and an unknown device', async () => {
  const refused = async (...call: Parameters<typeof load>) => {
    const response = await load(...call)
    return [response.status, response.headers.get('x-error'), detailOf(await response.json())]
  }
  expect(await refused({}, { id: 9_999_999 })).toEqual([404, 'not-found', 'Firmware not found'])
  expect(await refused({ range: 'bytes=200000-' })).toEqual([416, 'invalid', 'Range is not satisfiable'])
  expect(await refused({}, { unique_id: randomUUID() })).toEqual([404, 'unknown-device', 'Not Found Device'])
  await server.database.pool.query(
    `UPDATE device_firmware SET loads = array_fill(now(), ARRAY[5]) WHERE device_id = $1`,
    [device.device_id],
  )
  expect(await refused()).toEqual([429, 'too-many', 'Too many requests'])
})
