import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { firmware, keep, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let hardware: string
let count = 0
let signed: SignedImage
beforeEach(async () => {
  count += 1
  hardware = `RELEASE-${count}`
  signed = signedImage({ hardware })
  await keep(server, signed)
})

const command = (...args: string[]) => firmware(server, 'release', ...args)
const begin = (image: SignedImage, ...more: string[]) =>
  command('--firmware-id', String(image.fields.firmware_id), ...more)
const show = async (id: number) => {
  const { result, said } = await command('show', String(id), '--json')
  expect(said).toBe('')
  return result
}

const recorded = async (id: number) => {
  const { rows } = await server.database.pool.query(
    `SELECT action, operator FROM security_record WHERE action LIKE 'release_%' AND (reason || ',') LIKE $1 ORDER BY id`,
    [`release ${id},%`],
  )
  return rows.map(({ action, operator }) => `${action} ${operator}`)
}

test('a release begins with its first step, and each change of it is on record with who made it', async () => {
  const id = await release(server, signed, '--steps', '1,10,100', '--as', 'kim')
  expect(await show(id)).toMatchObject({
    release_id: id,
    firmware_id: signed.fields.firmware_id,
    steps: [1, 10, 100],
    wait_seconds: 259_200,
    stop_failed: 0.02,
    stop_silent: 0.05,
    stop_contact_loss: 1.5,
    stop_shorter: 0.2,
    fewest: 20,
    state: 'open',
    step: 1,
    figures: { offered: 0, installed: 0 },
    ratios: { failed: null, silent: null, contact_loss: null, shorter: null },
  })
  const change = async (what: string) => (await command(what, String(id), '--as', 'lee')).code
  expect(await change('next')).toBe(0)
  expect(await show(id)).toMatchObject({ state: 'open', step: 2 })
  for (const what of ['pause', 'resume', 'next', 'cancel']) expect(await change(what)).toBe(0)
  expect(await show(id)).toMatchObject({ state: 'cancelled', step: 3 })
  expect(await recorded(id)).toEqual([
    'release_begin kim',
    'release_next lee',
    'release_pause lee',
    'release_resume lee',
    'release_next lee',
    'release_cancel lee',
  ])
  expect((await command('list')).out).toMatch(
    new RegExp(`${id} +${signed.fields.firmware_id} +${hardware} +cancelled +3 of 3 \\(100 %\\)`),
  )
})

test('show reads as a person reads it', async () => {
  const id = await release(server, signed)
  const { out } = await command('show', String(id))
  for (const line of [
    /^state +open$/m,
    /^step +1 of 1 \(100 %\), since 20/m,
    /^covered +0 of 0 connected devices$/m,
    /^failed +0 of 0 final reports$/m,
    /^share failed +not known yet, stops above 2\.0 %$/m,
    /^contact losses +not known yet, stops above 1\.5$/m,
    /^nights shorter by +not known yet, stops above 20\.0 %$/m,
  ])
    expect(out).toMatch(line)
})

test('options of both, `release` and its commands, mean the same before and behind the name of the command', async () => {
  const id = await release(server, signed)
  for (const args of [
    ['show', String(id), '--json'],
    ['--json', 'show', String(id)],
  ])
    expect((await command(...args)).result).toMatchObject({ release_id: id, state: 'open' })
  expect((await command('--json', 'list')).result[0]).toMatchObject({ release_id: id })
  expect((await command('--as', 'lee', '--json', 'pause', String(id))).result).toEqual({
    release_id: id,
    change: 'pause',
  })
  expect(await recorded(id)).toEqual([expect.stringContaining('release_begin'), 'release_pause lee'])
  expect((await command('list')).out).toMatch(/^ *RELEASE/)
})

test('each error is one sentence', async () => {
  const id = await release(server, signed)
  const other = signedImage({ hardware })
  await keep(server, other)
  expect((await begin(other)).said).toBe(
    `Another release for the hardware ${hardware} is open: pause or cancel it first\n`,
  )
  expect((await begin(signedImage())).said).toMatch(/^There is no firmware \d+\n$/)
  const withdrawn = signedImage({ hardware: `${hardware}-W` })
  await keep(server, withdrawn)
  await firmware(server, 'withdraw', String(withdrawn.fields.firmware_id))
  expect((await begin(withdrawn)).said).toMatch(/is withdrawn\n$/)
  expect((await command('show', '999999')).said).toBe('There is no release 999999\n')
  expect((await command('pause', '999999')).said).toBe('There is no release 999999\n')
  expect((await command('resume', String(id))).said).toContain('is open; this needs one that is paused')
  expect((await command('next', String(id))).said).toContain('this needs one that is open, with a step left')
  await command('pause', String(id))
  expect((await begin(other, '--json')).code).toBe(0)
  expect((await command('resume', String(id))).said).toContain('with no other open release')
  expect((await command()).said).toContain('--firmware-id is required')
  for (const wrong of [
    ['--steps', '10,5'],
    ['--steps', '0'],
    ['--steps', '101'],
    ['--wait', '3 days'],
    ['--stop-failed', '2'],
    ['--stop-contact-loss', '0.5'],
  ])
    expect((await begin(other, ...wrong)).code).toBe(1)
})

test('of releases that begin at the same time for one hardware, one is open', async () => {
  const others = [signedImage({ hardware }), signedImage({ hardware })]
  for (const each of others) await keep(server, each)
  const { beginRelease, ReleaseError } = await import('@companion/server/firmware/releases.ts')
  const bounds = {
    stop_failed: 0.02,
    stop_silent: 0.05,
    stop_contact_loss: 1.5,
    stop_shorter: 0.2,
    fewest: 20,
  }
  const outcomes = await Promise.allSettled(
    [signed, ...others].map(({ fields }) =>
      server.database.transaction((sql) =>
        beginRelease(
          sql,
          { operator: 'kim', approvedBy: undefined },
          { ...bounds, firmware_id: fields.firmware_id, steps: [100], wait_seconds: 60 },
        ),
      ),
    ),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ReleaseError)
})

test('1 % of 100,000 devices are about 1,000, the same at every look, and among the 10 %', async () => {
  const { rows } = await server.database.pool.query<{ bucket: string; own: string }>(
    `SELECT firmware_bucket(7, u.id) AS bucket, u.id AS own FROM (
       SELECT md5(n::text)::uuid AS id FROM generate_series(1, 100000) n) u`,
  )
  const within = (percent: number) =>
    rows.filter(({ bucket }) => Number(bucket) * 100 < percent * 2 ** 32).map(({ own }) => own)
  const [first, second] = [within(1), within(10)]
  // Four standard deviations of a draw of 1 % and of 10 %.
  expect(Math.abs(first.length - 1000)).toBeLessThan(126)
  expect(Math.abs(second.length - 10_000)).toBeLessThan(380)
  const among = new Set(second)
  expect(first.every((each) => among.has(each))).toBe(true)
  expect(within(100)).toHaveLength(100_000)
})

test('the bucket is what the rule says: the first 32 bits of SHA-256 of both ids', async () => {
  const { createHash } = await import('node:crypto')
  const id = randomUUID()
  const { rows } = await server.database.pool.query('SELECT firmware_bucket(42, $1) AS bucket', [id])
  expect(Number(rows[0].bucket)).toBe(createHash('sha256').update(`42:${id}`).digest().readUInt32BE())
})
