import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createRandom } from '@companion/device-simulator'
import { makeKeyPair, signManifest } from '@companion/server/firmware/manifest.ts'
import type { ManifestFields } from '@companion/server/firmware/manifest.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { canCompile, hasValgrind, make, NEEDED, valgrind } from '../support/device-in-c.ts'
import { listen } from '../support/outside/local-server.ts'
import type { Received } from '../support/outside/local-server.ts'

const UUID = '3f2b8c9e-1111-4222-8333-123456789abc'
const SLOT_SIZE = 64 * 1024
/** Exit codes of the program, and of the one whose power fails. */
const [DONE, GAVE_UP, RESTART, DEAD, HUNG, POWER_FAILED] = [0, 4, 5, 6, 7, 86]

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest())
const keys = makeKeyPair('ES256')
const nextKeys = makeKeyPair('ES256')
const edKeys = makeKeyPair('EdDSA')

/** An image: its first word stands for what it does, and the rest is noise. */
function imageOf(word: 'works' | 'hangs', size: number, seed: number): Buffer {
  const random = createRandom(seed, 'image')
  const bytes = Buffer.from(Array.from({ length: size }, () => random.integer(0, 255)))
  bytes.write(word)
  return bytes
}

const signed = (image: Uint8Array, fields: Partial<ManifestFields>, key = keys.privateKey) =>
  Buffer.from(
    signManifest(
      {
        firmware_id: 13,
        hardware: 'A1',
        size: image.length,
        sha256: sha256(image),
        sequence: 7,
        not_after: null,
        oldest: 10,
        ...fields,
      },
      key,
    ),
  )

const oldImage = imageOf('works', 30_000, 1)
const newImage = imageOf('works', 40_000, 2)
const hangingImage = imageOf('hangs', 40_000, 3)

/** What a service offers, and how the line to it lies. */
interface Service {
  image: Uint8Array
  manifest: Uint8Array
  firmwareId?: number
  /** Instead of a part of the image, which would have this `Content-Range`. */
  load?: (response: ServerResponse, part: Buffer, range: string) => unknown
  /** Whether reports are answered. */
  isDeaf?: boolean
}

interface Report {
  unique_id: string
  firmware_id: number
  outcome: string
  stage?: string
}

const head = (response: ServerResponse, part: Buffer, range: string) =>
  response.writeHead(206, { 'content-range': range, 'content-length': part.length })

const whole = (response: ServerResponse, part: Buffer, range: string): void =>
  void head(response, part, range).end(part)

const cutAfter =
  (bytes: number) =>
  (response: ServerResponse, part: Buffer, range: string): void =>
    void head(response, part, range).write(part.subarray(0, bytes), () => response.destroy())

function answerAs(service: Service, reports: Report[]) {
  const { image, manifest, firmwareId = 13, load } = service
  return (response: ServerResponse, { method, path, headers, body }: Received) => {
    const [call = ''] = path.split('?')
    const acknowledge = () => response.end('{"statusCode":200,"message":"Success"}')
    if (method === 'POST' && call.endsWith('/devlog')) return acknowledge()
    if (method === 'POST' && call.endsWith('/firmware/report')) {
      if (service.isDeaf === true) return response.destroy()
      reports.push(JSON.parse(body))
      return acknowledge()
    }
    if (call.endsWith('/device/time'))
      return response.end(`{"utc":"${new Date().toISOString()}","utc_offset_minutes":540}`)
    if (!path.endsWith(`?unique_id=${UUID}`)) return response.writeHead(404).end()
    if (call.endsWith('/device/firmware')) {
      if (Number(headers['x-firmware']) >= firmwareId) return response.writeHead(204).end()
      return response
        .writeHead(200, { 'content-type': 'application/cose', 'x-firmware-id': firmwareId })
        .end(manifest)
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
    if (!call.endsWith(`/device/firmware/${firmwareId}`) || !range) return response.writeHead(404).end()
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), image.length - 1)]
    const contentRange = `bytes ${from}-${to}/${image.length}`
    return (load ?? whole)(response, Buffer.from(image.subarray(from, to + 1)), contentRange)
  }
}

describe.skipIf(!canCompile)(`the firmware in C updates itself (${NEEDED})`, () => {
  let directory: string
  const programs = { usual: '', failing: '', openssl: '' }
  let key: string
  let atFactory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'companion-update-'))
    const at = (name: string) => join(directory, name)
    key = at('key.pem')
    atFactory = at('flash-at-factory')
    for (const [name, target, signature, ...flags] of [
      ['usual', 'device', 'mbedtls', '-fstack-usage'],
      ['failing', 'failing', 'mbedtls'],
      [
        'openssl',
        'device',
        'openssl',
        '-fsanitize=address,undefined',
        '-fno-sanitize-recover',
        '-Wno-stringop-overread',
      ],
    ] as const) {
      programs[name] = at(name)
      const all = [
        `CFLAGS=-std=c99 -Wall -Wextra -Werror -pedantic -O2 -g -DSLOT_SIZE=${SLOT_SIZE}`,
        ...flags,
      ]
      await make(target, programs[name], all.join(' '), `SIGNATURE=${signature}`)
    }
    const factory = signed(oldImage, { firmware_id: 12, sequence: 6, oldest: 0 })
    await Promise.all([
      writeFile(key, keys.publicKey),
      writeFile(at('next.pem'), nextKeys.publicKey),
      writeFile(at('ed.pem'), edKeys.publicKey),
      writeFile(at('old'), oldImage),
      writeFile(at('old.manifest'), factory),
    ])
    const made = await run(['-i', at('old'), '-m', at('old.manifest')], { flash: atFactory })
    if (made.code !== DONE) throw new Error(made.said)
  }, 60_000)
  afterAll(() => rm(directory, { recursive: true, force: true }))

  let flash: string
  let flashes = 0
  async function freshFlash(from = atFactory) {
    flashes += 1
    flash = join(directory, `flash-${flashes}`)
    await copyFile(from, flash)
  }
  beforeEach(() => freshFlash())

  interface Run {
    program?: string
    flash?: string
    url?: string
    wrapper?: string[]
    keys?: string[]
    env?: Record<string, string>
    input?: string
  }
  /** One start of the device: what it says, and which images it has started. */
  async function run(options: string[], given: Run = {}) {
    const { program = programs.usual, wrapper = [], env = {}, input = '' } = given
    const ring = join(directory, 'ring')
    const call =
      given.url === undefined ? [] : ['-u', given.url, '-d', UUID, '-r', ring, '-p', '1', '-P', '1']
    const trusted = (given.keys ?? [key]).flatMap((file) => ['-K', file])
    const [command, ...before] = [...wrapper, program]
    const child = spawn(
      command,
      [...before, '-F', given.flash ?? flash, ...trusted, '-H', 'A1', ...call, ...options],
      { env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0', ...env } },
    )
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let said = ''
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    child.stdout.resume()
    const [code]: unknown[] = await once(child, 'close')
    const started = [...said.matchAll(/starts firmware (\d+) from slot \d, SHA-256 ([0-9a-f]{64})/g)]
    const known = new Map(
      [oldImage, newImage, hangingImage].map((image) => [Buffer.from(sha256(image)).toString('hex'), image]),
    )
    for (const [, , hash = ''] of started) expect([...known.keys()]).toContain(hash)
    return { code, said, started: started.map(([, id]) => Number(id)) }
  }

  /** Starts the device again and again, until it neither restarts, hangs nor loses its power. */
  async function settle(given: Run, options: string[] = []) {
    for (let starts = 1; starts <= 12; starts += 1) {
      const done = await run(options, given)
      expect(done.code).not.toBe(DEAD)
      expect([DONE, GAVE_UP, RESTART, HUNG, POWER_FAILED, 99]).toContain(done.code)
      if (done.code === DONE || done.code === GAVE_UP || done.code === 99) return { ...done, starts }
    }
    throw new Error('The device does not settle')
  }

  async function serve(service: Partial<Service> = {}) {
    const reports: Report[] = []
    const image = service.image ?? newImage
    const server = await listen(
      answerAs({ ...service, image, manifest: service.manifest ?? signed(image, {}) }, reports),
    )
    const loads = () =>
      server.received.flatMap(({ headers: { range } }) =>
        range === undefined ? [] : [Number(/\d+/.exec(range)?.[0])],
      )
    const outcomes = () =>
      reports.map(({ firmware_id, outcome, stage }) =>
        [firmware_id, outcome, ...(stage === undefined ? [] : [stage])].join(' '),
      )
    return { ...server, reports, loads, outcomes }
  }

  test('takes no more than 4 kB of fixed memory for it, and no deeper stack', async () => {
    const { stdout } = await promisify(execFile)('size', [programs.usual])
    const [, data, bss] = /\n\s*\d+\s+(\d+)\s+(\d+)/.exec(stdout) ?? []
    // 1080 and 48 before it could update itself, without the structure of a device, which lay on the stack then.
    expect(Number(data) + Number(bss)).toBeLessThanOrEqual(1080 + 48 + 4096)
    const files = (await readdir(directory)).filter((name) => name.endsWith('.su'))
    const usages = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')))
    const frames = usages
      .flatMap((usage) => usage.split('\n'))
      .flatMap((line) => {
        const [, name, bytes] = /([\w-]+\.c):.*\t(\d+)\t/.exec(line) ?? []
        return name === undefined ? [] : [{ name, bytes: Number(bytes) }]
      })
    expect(frames.length).toBeGreaterThan(60)
    const deepest = (...names: string[]) =>
      Math.max(...frames.flatMap(({ name, bytes }) => (names.includes(name) ? [bytes] : [])))
    // A line of a log takes more than all that an update puts on it.
    expect(deepest('update.c', 'flash.c', 'manifest.c', 'cbor.c', 'firmware-calls.c')).toBeLessThan(1500)
    expect(deepest('main.c')).toBeGreaterThan(2048)
  })

  test('asks once its logs are stored, loads, switches, and says so when the new one runs', async () => {
    const service = await serve()
    const input = '1 1772746200 900 3 1 4 9 12\n'
    const loaded = await run([], { url: service.url, input })
    expect(loaded).toMatchObject({ code: RESTART, started: [12] })
    expect(
      service.received.map(({ method, path }) => `${method} ${path.split('/').slice(4).join('/')}`),
    ).toEqual([
      'POST device/devlog',
      `GET device/firmware?unique_id=${UUID}`,
      'POST device/firmware/report',
      `GET device/firmware/13?unique_id=${UUID}`,
      `GET device/firmware/13?unique_id=${UUID}`,
    ])
    expect(service.received[0]?.headers['x-firmware']).toBe('12')
    const ran = await run([], { url: service.url })
    expect(ran).toMatchObject({ code: DONE, started: [13] })
    expect(service.outcomes()).toEqual(['13 started', '13 installed'])
    expect(await run([], { url: service.url })).toMatchObject({ code: DONE, started: [13] })
    expect(service.loads()).toEqual([0, 32_768])
  })

  test('asks for nothing during a use, nor with logs that it could not send', async () => {
    const service = await serve()
    expect(await run(['-w'], { url: service.url })).toMatchObject({ code: DONE })
    const offline = await listen((response) => response.destroy())
    expect(await run(['-a', '1'], { url: offline.url, input: '2 1772746200 900 3 1 4\n' })).toMatchObject({
      code: GAVE_UP,
    })
    expect([...service.received, ...offline.received].map(({ path }) => path)).toEqual([
      '/api/v1/gamma/device/devlog',
    ])
    // The log goes out before the next test.
    expect(await run(['-w'], { url: service.url })).toMatchObject({ code: DONE })
  })

  test('goes on at each kilobyte at which the line is cut, in the next start too', async () => {
    const service = await serve({ load: cutAfter(1024) })
    for (let starts = 0; starts < 5; starts += 1)
      expect(await run(['-a', '1'], { url: service.url })).toMatchObject({ code: GAVE_UP, started: [12] })
    expect(await settle({ url: service.url }, ['-a', '3'])).toMatchObject({ code: DONE, started: [13] })
    expect(service.loads()).toEqual(Array.from({ length: 40 }, (_, n) => n * 1024))
    expect(service.outcomes()).toEqual(['13 started', '13 installed'])
  })

  describe('when the power fails', () => {
    /** What becomes of the write at which it fails, and of those before it: `power.c`. */
    const WAYS = ['lost', 'torn', 'ahead']

    /** Lets the power fail at every write of the first start from `from`, in each way, and starts the device until it settles. */
    async function failEverywhere(from: string, service: Awaited<ReturnType<typeof serve>>, runs: number) {
      let steps = 0
      for (const by of WAYS)
        for (let at = 1; ; at += 1) {
          await freshFlash(from)
          const first = await run([], {
            url: service.url,
            program: programs.failing,
            env: { POWER_FAILS_AT: String(at), POWER_FAILS_BY: by },
          })
          if (first.code !== POWER_FAILED) break
          steps += 1
          expect({ by, at, ...(await settle({ url: service.url })) }).toMatchObject({
            by,
            at,
            code: DONE,
            started: [runs],
          })
        }
      return steps
    }

    test('at each step of a load and of the switch, it ends with the new one', async () => {
      const service = await serve()
      expect(await failEverywhere(atFactory, service, 13)).toBeGreaterThan(WAYS.length * 10)
      await freshFlash()
      await run([], { url: service.url })
      const switched = flash
      expect(await failEverywhere(switched, service, 13)).toBe(WAYS.length * 2)
    }, 60_000)

    test('at each step of the way back from one that hangs, it ends with the old one', async () => {
      const service = await serve({ image: hangingImage })
      await run([], { url: service.url })
      for (let starts = 0; starts < 3; starts += 1)
        expect(await run([], { url: service.url })).toMatchObject({ code: HUNG })
      const hung = flash
      // It is offered again, until the device has had enough.
      const silent = await serve({ firmwareId: 1 })
      expect(await failEverywhere(hung, silent, 12)).toBe(WAYS.length * 2)
      expect(silent.outcomes()).toContain('13 rolled_back start')
    }, 60_000)

    test('at random, again and again, it starts nothing but whole images and recovers', async () => {
      const service = await serve()
      const random = createRandom(38, 'power')
      for (let round = 0; round < 10; round += 1) {
        await freshFlash()
        for (let failures = 0; failures < 6; failures += 1) {
          const by = WAYS[random.integer(0, 2)] ?? 'torn'
          const env = { POWER_FAILS_AT: String(random.integer(1, 9)), POWER_FAILS_BY: by }
          const { code } = await run([], { url: service.url, program: programs.failing, env })
          expect(code).not.toBe(DEAD)
        }
        expect((await settle({ url: service.url })).code).toBe(DONE)
      }
    }, 60_000)
  })

  test('rolls back from one that hangs, reports it, and tries it three times at most', async () => {
    const service = await serve({ image: hangingImage })
    const codes: unknown[] = []
    for (let starts = 0; starts < 14; starts += 1) codes.push((await run([], { url: service.url })).code)
    const attempt = [RESTART, HUNG, HUNG, HUNG]
    expect(codes).toEqual([...attempt, ...attempt, ...attempt, DONE, DONE])
    expect(service.outcomes()).toEqual([
      ...Array.from({ length: 3 }, () => ['13 started', '13 rolled_back start']).flat(),
      '13 refused tries',
      '13 refused tries',
    ])
  })

  test('rolls back from one that does not reach the service, and keeps the report until it is heard', async () => {
    const service = await serve()
    await run([], { url: service.url })
    const deaf = await serve({ isDeaf: true })
    for (let starts = 0; starts < 3; starts += 1)
      expect(await run(['-a', '1'], { url: deaf.url })).toMatchObject({
        code: GAVE_UP,
        started: [13],
      })
    expect(await run(['-a', '1'], { url: deaf.url })).toMatchObject({ code: GAVE_UP, started: [12] })
    const heard = await serve({ firmwareId: 1 })
    expect(await run([], { url: heard.url })).toMatchObject({ code: DONE, started: [12] })
    expect(heard.outcomes()).toEqual(['13 rolled_back start'])
  })

  test('starts the other image when a byte of the present one or of its manifest has changed', async () => {
    const service = await serve()
    await settle({ url: service.url })
    const updated = flash
    const second = 2 * 4096 + (4096 + SLOT_SIZE)
    for (const place of [second + 20, second + 4096, second + 4096 + 39_999, second + 4096 + SLOT_SIZE - 1]) {
      await freshFlash(updated)
      const file = await open(flash, 'r+')
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, place)
      await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, place)
      await file.close()
      expect(await run(['-w'], { url: service.url })).toMatchObject({
        code: DONE,
        started: [12],
      })
    }
  })

  test('does not start an image with a flipped bit, wherever it is', async () => {
    const random = createRandom(7, 'flips')
    for (const at of [
      0,
      1,
      32_767,
      32_768,
      39_999,
      ...Array.from({ length: 10 }, () => random.integer(0, 39_999)),
    ]) {
      await freshFlash()
      const image = Buffer.from(newImage)
      image[at] = (image[at] ?? 0) ^ (1 << random.integer(0, 7))
      const service = await serve({ image, manifest: signed(newImage, {}) })
      expect({ at, ...(await settle({ url: service.url })) }).toMatchObject({ at, code: DONE, started: [12] })
      expect(service.outcomes()).toEqual(['13 started', '13 failed hash'])
    }
  })

  test('takes no manifest with a flipped bit, one cut short or one that goes on', async () => {
    const manifest = signed(newImage, {})
    const random = createRandom(9, 'flips')
    const places = [...manifest.keys()].filter((at) => at < 12 || at % 5 === 0)
    const changed = places.map((at) => {
      const copy = Buffer.from(manifest)
      copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7))
      return copy
    })
    for (const length of [1, 40, manifest.length - 1]) changed.push(manifest.subarray(0, length))
    changed.push(Buffer.concat([manifest, Buffer.from([0])]))
    let served: Buffer = manifest
    const reports: Report[] = []
    const service = await listen((response, request) =>
      answerAs({ image: newImage, manifest: served }, reports)(response, request),
    )
    for (served of changed) {
      await freshFlash()
      const given = { url: service.url, program: programs.openssl }
      expect(await run([], given)).toMatchObject({ code: DONE, started: [12] })
    }
    const stages = new Set(reports.map(({ outcome, stage }) => `${outcome} ${stage}`))
    expect(stages).toEqual(new Set(['refused signature', 'refused format']))
    expect(reports).toHaveLength(changed.length)
    expect(service.received.some(({ headers }) => headers.range !== undefined)).toBe(false)
  })

  const YESTERDAY = Math.floor(Date.now() / 1000) - 86_400
  const empty = Buffer.alloc(0)
  test.each([
    ['hardware', signed(newImage, { hardware: 'A2' })],
    ['hardware', signed(newImage, { hardware: 'A1.1' })],
    ['size', signed(newImage, { size: SLOT_SIZE + 1 })],
    ['sequence', signed(newImage, { sequence: 6 })],
    ['sequence', signed(newImage, { sequence: 5 })],
    ['oldest', signed(newImage, { oldest: 13 })],
    ['expired', signed(newImage, { not_after: YESTERDAY })],
    ['signature', signed(newImage, {}, makeKeyPair('ES256').privateKey)],
    ['signature', signed(newImage, {}, edKeys.privateKey)],
    ['format', signed(newImage, { firmware_id: 14 })],
    ['format', empty],
    ['length', Buffer.concat([signed(newImage, {}), Buffer.alloc(512)])],
  ])('refuses a manifest for its %s', async (stage, manifest) => {
    const service = await serve({ manifest })
    expect(await run([], { url: service.url })).toMatchObject({ code: DONE, started: [12] })
    expect(service.outcomes()).toEqual([`13 refused ${stage}`])
    expect(service.loads()).toEqual([])
  })

  test('takes no old image again, once a newer one has come up', async () => {
    const service = await serve()
    await settle({ url: service.url })
    const replayed = await serve({
      image: oldImage,
      firmwareId: 14,
      manifest: signed(oldImage, { firmware_id: 14, sequence: 7, oldest: 0 }),
    })
    expect(await run([], { url: replayed.url })).toMatchObject({ code: DONE, started: [13] })
    expect(replayed.outcomes()).toEqual(['14 refused sequence'])
  })

  test('takes one that expires tomorrow, and one that the next key has signed', async () => {
    const tomorrow = await serve({ manifest: signed(newImage, { not_after: YESTERDAY + 2 * 86_400 }) })
    expect(await settle({ url: tomorrow.url })).toMatchObject({ code: DONE, started: [13] })
    await freshFlash()
    const next = await serve({ manifest: signed(newImage, {}, nextKeys.privateKey) })
    const both = [key, join(directory, 'next.pem')]
    expect(await settle({ url: next.url, keys: both })).toMatchObject({ code: DONE, started: [13] })
  })

  test('takes EdDSA too where OpenSSL checks it', async () => {
    const given = { program: programs.openssl, keys: [key, join(directory, 'ed.pem')] }
    const service = await serve({ manifest: signed(newImage, {}, edKeys.privateKey) })
    expect(await settle({ ...given, url: service.url })).toMatchObject({ code: DONE, started: [13] })
    await freshFlash()
    const es256 = await serve()
    expect(await settle({ ...given, url: es256.url })).toMatchObject({ code: DONE, started: [13] })
    await freshFlash()
    const foreign = await serve({ manifest: signed(newImage, {}, makeKeyPair('EdDSA').privateKey) })
    expect(await settle({ ...given, url: foreign.url })).toMatchObject({ code: DONE, started: [12] })
    expect(foreign.outcomes()).toEqual(['13 refused signature'])
  })

  test('ends a body that never ends, and takes nothing of a page that a network shows instead', async () => {
    const endless = await serve({
      load: (response, part, range) => {
        response.writeHead(206, { 'content-range': range })
        const more = () => response.write(part, (error) => (error ? undefined : setImmediate(more)))
        more()
      },
    })
    expect(await run(['-a', '2', '-t', '2000'], { url: endless.url })).toMatchObject({
      code: GAVE_UP,
      started: [12],
    })
    const page = await listen((response) => response.end('<h1>Welcome</h1>'))
    expect(await run(['-a', '2'], { url: page.url })).toMatchObject({ code: GAVE_UP, started: [12] })
  })

  test('loads no further once the release is stopped, and goes on where it was when it is offered again', async () => {
    let isStopped = false
    const service = await serve({
      load: (response, part, range) => {
        if (isStopped) return response.writeHead(404, { 'x-error': 'not-found' }).end()
        isStopped = true
        return whole(response, part, range)
      },
    })
    expect(await run([], { url: service.url })).toMatchObject({ code: DONE, started: [12] })
    expect(service.outcomes()).toEqual(['13 started'])
    const again = await serve()
    expect(await settle({ url: again.url })).toMatchObject({ code: DONE, started: [13] })
    expect(again.loads()).toEqual([32_768])
  })

  test('comes back another day when the service asks for a long pause', async () => {
    const service = await listen((response) =>
      response.writeHead(429, { 'retry-after': '3600', 'x-error': 'too-many' }).end(),
    )
    expect(await run([], { url: service.url })).toMatchObject({ code: GAVE_UP })
    expect(service.received).toHaveLength(1)
  })

  test.skipIf(!hasValgrind)(
    'leaks and oversteps no memory (valgrind)',
    async () => {
      const given = { wrapper: valgrind }
      let isCut = false
      const service = await serve({
        load: (...given) => {
          const load = isCut ? whole : cutAfter(5000)
          isCut = true
          load(...given)
        },
      })
      const done = await settle({ ...given, url: service.url })
      expect(done).toMatchObject({ code: DONE, started: [13] })
    },
    60_000,
  )
})
