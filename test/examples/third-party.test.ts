import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { settled } from '../support/changes.ts'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { startFailingProxy } from '../support/machines/failing-proxy.ts'
import type { Issue } from '../support/machines/failing-proxy.ts'
import { addService, createBrowser } from '../support/oauth.ts'
import type { AddedClient } from '@companion/server/oauth/manage-clients.ts'
import { startServer, useServer } from '../support/server.ts'
import { PROCESS_ENVIRONMENT } from '../support/service-process.ts'

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
  /** Reads from its input where the browser ends, and does not listen there itself. */
  reads?: true
  /** The calls that go wrong, each in its turn. */
  issues: Record<string, Issue[]>
}
/** Of programs that call over REST by themselves, and repeat what does no harm when executed twice. */
const REST_ISSUES: Program['issues'] = {
  'GET /.well-known/oauth-authorization-server': ['bad gateway'],
  'GET /api/v1/beta/user/real-user': ['busy', 'cut'],
  'POST /api/v1/gamma/device/devlog': ['cut'],
  'POST /api/v1/beta/event': ['lost'],
  'GET /api/v1/beta/chart/recent': ['expired'],
  'GET /api/v1/beta/event': ['cut'],
  'GET /api/v1/beta/treatment': ['bad gateway'],
  'GET /api/v1/beta/changes': ['cut'],
}
const PROGRAMS: Program[] = [
  {
    language: 'TypeScript',
    command: process.execPath,
    script: 'src/main.ts',
    needs: [],
    // The SDK repeats its calls, over tRPC.
    issues: {
      'GET /trpc/children.list': ['busy', 'cut'],
      'GET /trpc/charts.recent': ['expired'],
      'GET /trpc/calendar.readDay': ['cut'],
      'POST /trpc/calendar.saveEvent': ['lost'],
      'GET /trpc/treatments.list': ['bad gateway'],
      'GET /trpc/changes.list': ['cut'],
    },
  },
  {
    language: 'Python',
    command: 'python3',
    script: 'companion.py',
    needs: ['python3'],
    issues: REST_ISSUES,
  },
  {
    language: 'curl',
    command: 'bash',
    script: 'companion.sh',
    needs: ['bash', 'curl'],
    reads: true,
    issues: REST_ISSUES,
  },
]

let service: AddedClient
beforeAll(async () => {
  service = await addService(server, { is_public: true, redirect_uris: ['http://127.0.0.1/callback'] })
})

interface Parent extends Pick<Account, 'email'> {
  real_user_id: number
}

/** Does in a browser what the program asks the parent for. Resolves to where the browser ends. */
async function consent(
  address: string,
  { email, real_user_id }: Parent,
  action = 'go',
  /** The way that a browser takes to an address of the service. */
  by = (url: string) => url,
): Promise<string> {
  const browser = createBrowser(by(address))
  const signIn = by((await browser.ask(by(address))).location)
  const signedIn = await browser.ask(signIn, { email, password: PASSWORD, action: 'go' })
  const page = by((await browser.ask(by(signedIn.location))).location)
  const decided = await browser.ask(page, { child: String(real_user_id), period: 'month', action })
  return (await browser.ask(by(decided.location))).location
}

/** Runs a program for `parent`, who lets it in (or does otherwise), on what is served at `url`. */
async function run(
  { command, script, reads }: Program,
  parent: Parent,
  {
    url = server.url,
    args = [TODAY],
    decide = (address: string) => consent(address, parent),
    environment = {},
  }: {
    url?: string
    args?: string[]
    decide?: (address: string) => Promise<string>
    environment?: Record<string, string>
  } = {},
) {
  const env = {
    ...PROCESS_ENVIRONMENT,
    COMPANION_URL: url,
    COMPANION_CLIENT_ID: service.client_id,
    ...environment,
  }
  const child = spawn(command, [example(script), ...args], { env, timeout: 240_000 })
  const comeBack = async (address: string) => {
    const ended = await decide(address)
    await settled(server)
    if (reads) child.stdin.end(`${ended}\n`)
    else await fetch(ended)
  }
  let [stdout, stderr, isAsked] = ['', '', false]
  child.stdout.on('data', (chunk) => void (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
    const [, address] = /^Open (\S+)\n/m.exec(stderr) ?? []
    if (address === undefined || isAsked) return
    isAsked = true
    void comeBack(address)
  })
  const [code] = await once(child, 'close')
  const said = stderr.replace(/^Open .*\n(and paste .*\n)?/m, '')
  return { code, stdout, stderr: said }
}

const responses = {
  child: 'Mina',
  chart: {
    treatment_time_data: [{ treatment_date: TODAY, treatment_time: 1200 }],
    treatment_intensity_data: [{ treatment_date: TODAY, last_intensity: 9 }],
    movement_data: [{ treatment_date: TODAY, movement: 0 }],
    avg_treatment_time: 1200,
    avg_treatment_intensity: 9,
    avg_movement: 0,
  },
  memo: 'Slept well',
  intensities: [[3, 9]],
  refused: 'Insufficient scope',
  changes: expect.arrayContaining(['grant.started']),
}

async function makeFamily() {
  const account = await signUp(server)
  return { ...account, ...(await addChild(server, account.token)) }
}

async function stored(table: 'treatment' | 'event', real_user_id: number): Promise<number> {
  const { rowCount } = await server.database.pool.query(`SELECT FROM ${table} WHERE real_user_id = $1`, [
    real_user_id,
  ])
  return rowCount ?? 0
}

describe.for(PROGRAMS)('an integrator with $language', (program) => {
  beforeEach(({ skip }) => {
    const missing = program.needs.filter((each) => !runs(each))
    if (process.env['CI'] !== 'true') skip(missing.length > 0, `without ${missing.join()}`)
  })

  test('reads what the parent has granted, writes nothing, and leaves', async () => {
    const family = await makeFamily()
    await upload(server, [devlogItem(family.unique_id, `${TODAY}T21:00:00`, { treatment_time: 1200 })])
    const { code, stdout, stderr } = await run(program, family)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ ...responses, memo: '' })
    expect(await stored('treatment', family.real_user_id)).toBe(1)
    expect(await stored('event', family.real_user_id)).toBe(0)
    // The parent's phone goes on, and the grant has ended.
    expect(await server.get('/api/v1/beta/grant', { token: family.token })).toMatchObject({
      status: 200,
      body: [],
    })
  })

  test('with --upload brings a log of a device of its own, and a note, over a line with issues', async () => {
    const family = await makeFamily()
    let target = ''
    const front = await startFailingProxy(() => target, structuredClone(program.issues))
    // The issuer is the address that the program knows.
    const behind = await startServer({ PUBLIC_URL: front.url }, server.databaseUrl)
    onTestFinished(() => behind.stop())
    target = behind.url
    const args = ['--upload', family.unique_id, TODAY]
    const { code, stdout } = await run(program, family, {
      url: front.url,
      args,
      // A browser has a way of its own, without issues.
      decide: (address) => consent(address, family, 'go', (place) => place.replace(front.url, behind.url)),
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(responses)
    expect(await stored('treatment', family.real_user_id)).toBe(1)
    expect(await stored('event', family.real_user_id)).toBe(1)
    expect(front.unmet()).toEqual([])
    expect(front.waited()).toBeGreaterThanOrEqual(1950)
  })

  test('is told when the parent does not allow it, and takes no answer to another question', async () => {
    const family = await makeFamily()
    const declined = await run(program, family, { decide: (address) => consent(address, family, 'decline') })
    expect(declined).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('access_denied') })
    for (const [name, value] of [
      ['state', 'another'],
      ['iss', 'https://evil.example.org'],
    ] as const) {
      const decide = async (address: string) => {
        const ended = new URL(await consent(address, family))
        ended.searchParams.set(name, value)
        return ended.href
      }
      expect(await run(program, family, { decide })).toMatchObject({ code: 1, stdout: '' })
    }
  })
})
