import { stat } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { makeKeyPair } from '@companion/server/firmware/manifest.ts'
import { companion } from '../support/command.ts'
import { firmware, keep, maker, signedImage } from '../support/firmware.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()

const recorded = async (action: string) => {
  const { rows } = await server.database.pool.query(
    'SELECT operator, reason FROM security_record WHERE action = $1 ORDER BY id DESC LIMIT 2',
    [action],
  )
  return rows
}

test('a key is made and an image signed without a database; the image is then kept', async () => {
  const image = await temporaryFile('image.bin', Buffer.alloc(70_000, 7))
  const privateKey = image.replace('image.bin', 'private.pem')
  const offline = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }
  const made = await companion(offline, 'firmware', 'key', '--out', privateKey, '--json')
  expect(made.code).toBe(0)
  expect((await stat(privateKey)).mode & 0o777).toBe(0o600)
  expect((await companion(offline, 'firmware', 'key', '--out', privateKey)).code).toBe(1)
  const options = [
    '--firmware-id',
    '21',
    '--hardware',
    'K1',
    '--sequence',
    '3',
    '--from',
    '10',
    '--not-after',
    '2099-01-01T00:00:00Z',
  ]
  const signed = await companion(
    offline,
    'firmware',
    'sign',
    image,
    '--key',
    privateKey,
    ...options,
    '--json',
  )
  expect(signed.result).toMatchObject({
    manifest: `${image}.manifest`,
    size: 70_000,
    oldest: 10,
    not_after: 4_070_908_800,
  })
  const { kid, public_key } = made.result
  vi.stubEnv('FIRMWARE_KEYS', JSON.stringify([{ kid, public_key }]))
  const add = [
    'add',
    image,
    '--manifest',
    `${image}.manifest`,
    '--version',
    '1.4.0',
    '--notes-en',
    'Quieter',
    '--notes-ko',
    '더 조용합니다',
    '--as',
    'kim',
  ]
  const added = await companion(server, 'firmware', ...add, '--json')
  expect(added.result).toEqual({ firmware_id: 21, hardware: 'K1', outcome: 'added' })
  expect((await firmware(server, 'show', '21', '--json')).result).toMatchObject({
    firmware_id: 21,
    version: '1.4.0',
    size: 70_000,
    sha256: signed.result.sha256,
    sequence: 3,
    oldest: 10,
    notes_ko: '더 조용합니다',
    withdrawn_at: null,
    devices: 0,
  })
  expect((await firmware(server, 'list')).out).toMatch(/21 +K1 +1\.4\.0 +70000 +3 +0 +-/)
  const { rows } = await server.database.pool.query(
    'SELECT length(bytes) AS bytes FROM firmware_piece WHERE firmware_id = 21 ORDER BY number',
  )
  expect(rows).toEqual([{ bytes: 65_536 }, { bytes: 4464 }])
  expect(await recorded('firmware_add')).toMatchObject([{ operator: 'kim', reason: 'firmware 21' }])
})

test('each error is one sentence and exit 1', async () => {
  const first = signedImage({ hardware: 'R1' })
  expect(await keep(server, first)).toMatchObject({ code: 0, said: '' })
  expect((await keep(server, first)).result.outcome).toBe('existing')
  const refused = async (signed: Parameters<typeof keep>[1]) => {
    const { code, said, out } = await keep(server, signed)
    expect({ code, out, lines: said.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 })
    return said
  }
  const stranger = makeKeyPair('ES256')
  const good = signedImage({ hardware: 'R1' })
  expect(await refused(signedImage({ key: stranger.privateKey }))).toContain(
    'The signature of the manifest is not one of the key',
  )
  vi.stubEnv('FIRMWARE_KEYS', '')
  const file = await temporaryFile('image.bin', good.image)
  const manifest = await temporaryFile('manifest', good.manifest)
  const unknown = await companion(server, 'firmware', 'add', file, '--manifest', manifest, '--version', '1')
  expect([unknown.code, unknown.said]).toEqual([
    1,
    `The manifest is signed with the key "${maker.kid}", which FIRMWARE_KEYS does not name\n`,
  ])
  expect(await refused({ ...good, image: good.image.subarray(1) })).toContain(
    'an image of 200000 bytes, and the file has 199999',
  )
  expect(await refused({ ...good, image: Buffer.alloc(200_000) })).toContain(
    'the SHA-256 of the file differs',
  )
  expect(await refused({ ...good, manifest: Buffer.from('no manifest') })).toContain(
    'The manifest is no COSE_Sign1 object',
  )
  expect(await refused(signedImage({ hardware: 'R1', firmware_id: first.fields.firmware_id }))).toContain(
    'is there already, with another image',
  )
  expect(await refused(signedImage({ hardware: 'R1', sequence: first.fields.sequence }))).toContain(
    'is not above',
  )
  expect(await refused(signedImage({ hardware: 'R1', not_after: 1_700_000_000 }))).toContain(
    'was good until 2023-11-14',
  )
  expect((await firmware(server, 'add', '/nowhere', '--manifest', manifest, '--version', '1')).said).toMatch(
    /^\/nowhere cannot be read/,
  )
  expect((await firmware(server, 'show', '999')).said).toBe('There is no firmware 999\n')
})

test('a withdrawn firmware stays on record', async () => {
  const image = signedImage({ hardware: 'W1' })
  const id = String(image.fields.firmware_id)
  await keep(server, image)
  expect((await firmware(server, 'withdraw', id, '--as', 'lee', '--json')).result).toEqual({
    firmware_id: image.fields.firmware_id,
    withdrawn: true,
  })
  expect((await firmware(server, 'show', id, '--json')).result.withdrawn_at).toEqual(expect.any(String))
  expect((await firmware(server, 'withdraw', id)).code).toBe(1)
  expect(await recorded('firmware_withdraw')).toMatchObject([{ operator: 'lee' }])
})
