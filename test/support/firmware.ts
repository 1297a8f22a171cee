import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { makeKeyPair, sha256Of, signManifest } from '@companion/server/firmware/manifest.ts'
import type { ManifestFields } from '@companion/server/firmware/manifest.ts'
import { companion } from './command.ts'
import type { Done } from './command.ts'
import type { TestServer } from './server.ts'

const { kid, publicKey, privateKey } = makeKeyPair('ES256')

/** The maker of the firmware of a test: a key that the service knows. */
export const maker = { kid, privateKey, keys: JSON.stringify([{ kid, public_key: publicKey }]) }

let sequence = 0
let lastId = 100

export interface SignedImage {
  image: Buffer
  manifest: Uint8Array
  fields: ManifestFields
}

/** An image and its manifest; what is not given is right, and higher than all before. */
export function signedImage(
  given: Partial<ManifestFields> & { image?: Buffer; key?: string } = {},
): SignedImage {
  const { image = randomBytes(200_000), key = privateKey, ...more } = given
  sequence += 1
  lastId += 1
  const fields: ManifestFields = {
    firmware_id: lastId,
    hardware: 'A1',
    size: image.length,
    sha256: sha256Of(image),
    sequence,
    not_after: null,
    oldest: 0,
    ...more,
  }
  return { image, manifest: signManifest(fields, key, kid), fields }
}

/** Runs `companion firmware …` as an operator whose service knows the maker. */
export function firmware(server: TestServer, ...args: string[]): Promise<Done> {
  vi.stubEnv('FIRMWARE_KEYS', maker.keys)
  return companion(server, 'firmware', ...args)
}

/** Runs `companion firmware add` with what was signed. */
export async function keep(
  server: TestServer,
  { image, manifest }: SignedImage,
  ...more: string[]
): Promise<Done> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-firmware-'))
  const [file, manifestFile] = [join(directory, 'image.bin'), join(directory, 'image.bin.manifest')]
  try {
    await writeFile(file, image)
    await writeFile(manifestFile, manifest)
    return await firmware(
      server,
      'add',
      file,
      '--manifest',
      manifestFile,
      '--version',
      '1.4.0',
      '--json',
      ...more,
    )
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Begins a release to all devices at once, unless `more` says otherwise. Returns its id. */
export async function release(
  server: TestServer,
  { fields }: SignedImage,
  ...more: string[]
): Promise<number> {
  const steps = more.includes('--steps') ? [] : ['--steps', '100']
  const id = String(fields.firmware_id)
  const { result, said } = await firmware(
    server,
    'release',
    '--firmware-id',
    id,
    ...steps,
    '--wait',
    'P3D',
    '--json',
    ...more,
  )
  if (!result) throw new Error(said)
  return result.release_id
}

let offered: SignedImage | undefined

/** The firmware of `offerFirmware`. */
export const OFFERED_FIRMWARE = 2_000_000_000

/**
 * Has devices be of a hardware for which a firmware is released to all, and remembers that they were offered it, as after a
 * question.
 */
export async function offerFirmware(
  { database }: Pick<TestServer, 'database'>,
  ...deviceIds: number[]
): Promise<void> {
  offered ??= signedImage({
    image: Buffer.alloc(1000, 5),
    firmware_id: OFFERED_FIRMWARE,
    hardware: 'OFFERED',
    sequence: 1,
  })
  const { fields, manifest, image } = offered
  await database.pool.query(
    `WITH kept AS (
       INSERT INTO firmware (id, hardware, version, size, sha256, sequence, oldest, manifest, notes_en, notes_ko, added_at)
       VALUES ($1, 'OFFERED', '1.4.0', 1000, $2, 1, 0, $3, 'Quieter at night', '밤에 더 조용합니다', now()) ON CONFLICT DO NOTHING RETURNING id
     ), piece AS (
       INSERT INTO firmware_piece SELECT id, 0, $4 FROM kept
     )
     INSERT INTO firmware_release (firmware_id, hardware, steps, wait_seconds, stop_failed, stop_silent, stop_contact_loss, stop_shorter,
       fewest, began_at, step_began_at)
     SELECT id, 'OFFERED', '{100}', 259200, 0.02, 0.05, 1.5, 0.2, 20, now(), now() FROM kept`,
    [fields.firmware_id, Buffer.from(fields.sha256), Buffer.from(manifest), image],
  )
  await database.pool.query(
    `WITH named AS (UPDATE device SET hardware = 'OFFERED' WHERE id = ANY ($1) RETURNING id)
     INSERT INTO device_firmware (device_id, firmware_id, release_id, offered_at)
     SELECT n.id, r.firmware_id, r.id, now() FROM named n, firmware_release r WHERE r.hardware = 'OFFERED' ON CONFLICT DO NOTHING`,
    [deviceIds],
  )
}
