import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { startFaultyFront } from '../support/faulty-front.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const example = (name: string) =>
  fileURLToPath(new URL(`../../examples/third-party/${name}`, import.meta.url))
const TODAY = '2026-03-10'

const runs = (command: string) => spawnSync(command, ['--version']).status === 0

interface Program {
  language: string
  command: string
  script: string
  needs: string[]
}
const TYPESCRIPT: Program = {
  language: 'TypeScript',
  command: process.execPath,
  script: 'src/main.ts',
  needs: [],
}
const PROGRAMS: Program[] = [
  TYPESCRIPT,
  { language: 'Python', command: 'python3', script: 'companion.py', needs: ['python3'] },
  { language: 'curl', command: 'bash', script: 'companion.sh', needs: ['bash', 'curl'] },
]

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-third-party-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

interface Ended {
  code: number | string | null | undefined
  stdout: string
  stderr: string
}

/** Runs a program in `directory` as `account`, on what is served at `url`. */
function run(
  { command, script }: Program,
  { email }: Account,
  directory: string,
  {
    url = server.url,
    args = [TODAY],
    environment = {},
  }: {
    url?: string
    args?: string[]
    environment?: Record<string, string>
  } = {},
): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    COMPANION_URL: url,
    COMPANION_EMAIL: email,
    COMPANION_PASSWORD: PASSWORD,
    ...environment,
  }
  return new Promise((resolve) => {
    const options = { cwd: directory, env, timeout: 25_000 }
    execFile(command, [example(script), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    )
  })
}

const answers = (unique_id: string) => ({
  chart: {
    treatment_time_data: [{ treatment_date: TODAY, treatment_time: 1200 }],
    treatment_intensity_data: [{ treatment_date: TODAY, last_intensity: 9 }],
    movement_data: [{ treatment_date: TODAY, movement: 0 }],
    avg_treatment_time: 1200,
    avg_treatment_intensity: 9,
    avg_movement: 0,
  },
  memo: 'Slept well',
  treatments: 1,
  file: `GAMMA_DEVICE_${unique_id}_${TODAY}~${TODAY}.xlsx`,
  refused: 'Real user is not found',
})

const empty = {
  chart: {
    treatment_time_data: [],
    treatment_intensity_data: [],
    movement_data: [],
    avg_treatment_time: 0,
    avg_treatment_intensity: 0,
    avg_movement: 0,
  },
  memo: '',
  treatments: 0,
  file: null,
}

async function expectStoredOnce(real_user_id: number, directory: string, unique_id: string): Promise<void> {
  const spreadsheet = await readFile(join(directory, answers(unique_id).file))
  expect(spreadsheet.subarray(0, 2).toString()).toBe('PK')
  const events = await server.database.pool.query(
    'SELECT memo, event_data FROM event WHERE real_user_id = $1',
    [real_user_id],
  )
  expect(events.rows).toEqual([{ memo: 'Slept well', event_data: { medication: [], hospital: ['Clinic'] } }])
  const treatments = await server.database.pool.query(
    'SELECT treatment_time FROM treatment WHERE real_user_id = $1',
    [real_user_id],
  )
  expect(treatments.rows).toEqual([{ treatment_time: 1200 }])
}

describe.for(PROGRAMS)('an integrator with $language', (program) => {
  beforeEach(({ skip }) => {
    const missing = program.needs.filter((each) => !runs(each))
    if (process.env['CI'] !== 'true') skip(missing.length > 0, `without ${missing.join()}`)
  })

  test('reads the data of the first device, and writes nothing', async () => {
    const account = await signUp(server)
    const { unique_id, real_user_id } = await addChild(server, account.token)
    const first = await run(program, account, await emptyDirectory())
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toEqual({ ...empty, refused: 'Real user is not found' })
    // The access token of the parent's phone lives on.
    expect((await server.get('/api/v1/beta/user/me', { token: account.token })).status).toBe(200)
    for (const table of ['treatment', 'event']) {
      const { rows } = await server.database.pool.query(`SELECT FROM ${table} WHERE real_user_id = $1`, [
        real_user_id,
      ])
      expect(rows).toEqual([])
    }
    await upload(server, [devlogItem(unique_id, `${TODAY}T21:00:00`)])
    const second = await run(program, account, await emptyDirectory())
    expect(JSON.parse(second.stdout)).toMatchObject({ treatments: 1, file: answers(unique_id).file })
  })

  test('with --upload brings a log of a device of its own, and a note', async () => {
    const account = await signUp(server)
    await addChild(server, account.token)
    const { unique_id, real_user_id } = await addChild(server, account.token)
    const directory = await emptyDirectory()
    // A second time changes nothing.
    for (let time = 0; time < 2; time++) {
      const { code, stdout, stderr } = await run(program, account, directory, {
        args: ['--upload', unique_id, TODAY],
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual(answers(unique_id))
    }
    await expectStoredOnce(real_user_id, directory, unique_id)
    const foreign = await run(program, account, directory, { args: ['--upload', randomUUID(), TODAY] })
    expect(foreign).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('has no device') })
  })

  test('gets the same over a line with faults, with a token that expires, and stores nothing twice', async () => {
    const account = await signUp(server)
    const { unique_id, real_user_id } = await addChild(server, account.token)
    const directory = await emptyDirectory()
    const front = await startFaultyFront(server.url, {
      'POST /api/v1/alpha/auth/email/signin': ['busy', 'lost'],
      'GET /api/v1/beta/device': ['bad gateway'],
      'POST /api/v1/gamma/device/devlog': ['cut'],
      'GET /api/v1/beta/chart/recent': ['expired'],
      'POST /api/v1/alpha/auth/refresh-token': ['lost', 'cut'],
      'POST /api/v1/beta/event': ['lost'],
      'GET /api/v1/beta/event': ['cut'],
      'GET /api/v1/gamma/device/export': ['cut'],
      'GET /api/v1/beta/user/real-user/2000000000': ['bad gateway'],
    })
    const args = ['--upload', unique_id, TODAY]
    const { code, stdout, stderr } = await run(program, account, directory, { url: front.url, args })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining(PASSWORD) })
    expect(JSON.parse(stdout)).toEqual(answers(unique_id))
    await expectStoredOnce(real_user_id, directory, unique_id)
    expect(front.unmet()).toEqual([])
    expect(front.waited()).toBeGreaterThanOrEqual(1950)
    const keys = front.received.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
  })

  test('is told what the service says of a wrong password', async () => {
    const account = await signUp(server)
    const ended = await run(program, account, await emptyDirectory(), {
      environment: { COMPANION_PASSWORD: 'not that one' },
    })
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/\/api\/v1\/alpha\/auth\/email\/signin: 400 .*Password is invalid/),
    })
  })

  test('means the day of the place', async () => {
    const account = await signUp(server)
    const { unique_id } = await addChild(server, account.token)
    // Twelve hours behind or ahead: the one that now has another day than UTC. POSIX says both the other way round.
    const [sign, hours] = new Date().getUTCHours() < 12 ? ['+', -12] : ['-', 12]
    const day = new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10)
    const { stdout, stderr } = await run(program, account, await emptyDirectory(), {
      args: ['--upload', unique_id],
      environment: { TZ: program === TYPESCRIPT ? `Etc/GMT${sign}12` : `UTC${sign}12` },
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout).file).toBe(`GAMMA_DEVICE_${unique_id}_${day}~${day}.xlsx`)
  })
})

test('the TypeScript program gives a silent service 30 seconds', async () => {
  const account = await signUp(server)
  const { unique_id } = await addChild(server, account.token)
  const front = await startFaultyFront(server.url, { 'GET /api/v1/beta/device': ['silent'] })
  // A hundredth of it here.
  const hasten = 'const real = AbortSignal.timeout; AbortSignal.timeout = (ms) => real(ms / 100)'
  const { code, stdout } = await run(TYPESCRIPT, account, await emptyDirectory(), {
    url: front.url,
    args: ['--upload', unique_id, TODAY],
    environment: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hasten)}"` },
  })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(answers(unique_id))
  expect(front.unmet()).toEqual([])
  expect(front.waited()).toBeGreaterThan(300)
})
