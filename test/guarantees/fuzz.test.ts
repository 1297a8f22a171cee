import { randomInt } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as fc from 'fast-check'
import { afterEach, beforeAll, expect, inject, test, vi } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { arbitraryRequest } from '../support/arbitrary-request.ts'
import type { ArbitraryRequest, DocumentedOperation } from '../support/arbitrary-request.ts'
import { closedDocument } from '../support/document.ts'
import { addChild, devlogItem, PASSWORD, signIn, signUp, upload, validToken } from '../support/family.ts'
import { addBasestation, connectBasestation } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'
import { addMember, invitationToken, share, shares } from '../support/shares.ts'

/*
 * Sends requests that are derived from the OpenAPI document, good ones and broken ones, and holds each response to the
 * document: its status is declared, its body is as described, and it is never a 5xx while all is well.
 * `FUZZ_RUNS` says how many requests each operation gets, `FUZZ_SEED` repeats a run.
 */

const server = useServer()
const runs = Number(process.env['FUZZ_RUNS'] ?? 50)
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
const AT_ONCE = 8
/** In milliseconds: thousands of requests for each operation take longer than a test that hangs may. */
const timeout = 300_000 + 3_000 * runs

const document = closedDocument() as { paths: Record<string, Record<string, DocumentedOperation>> }
/** Those that end something come last, so that the others find it. */
const isEnd = (method: string, { operationId }: DocumentedOperation) =>
  method === 'delete' || operationId === 'auth.signOut'
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  .toSorted(
    (one, other) => Number(isEnd(one.method, one.operation)) - Number(isEnd(other.method, other.operation)),
  )

type Called = (typeof operations)[number]

const ajv = addFormats.default(new Ajv2020({ strict: false, validateFormats: true }))
ajv.addSchema(document, 'document')
/** By the place of the response in the document; compiling one takes longer than all else of a response. */
const validators = new Map<string, ValidateFunction>()
const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** Says what of an answer the document does not allow. */
function issueOf({ path, method, operation }: Called, { status, type, text }: Answered): string | undefined {
  // Such as a path whose parameter is empty.
  if ((status === 404 && text === '{"detail":"Resource not found"}') || status === 405) return undefined
  const declared = operation.responses[status]
  if (!declared) return 'undeclared status'
  if (status === 200 && !type.startsWith('application/json')) return type ? undefined : 'no content type'
  if (status === 204) return text ? 'a body' : undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return 'no JSON'
  }
  const shared = Object(declared)['$ref']
  const response =
    typeof shared === 'string'
      ? shared
      : `#/paths/${[path, method, 'responses', String(status)].map(escaped).join('/')}`
  const validate =
    validators.get(response) ?? ajv.compile({ $ref: `document${response}/content/application~1json/schema` })
  validators.set(response, validate)
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}

interface Answered {
  status: number
  type: string
  text: string
}

const plain = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, plain(value)]])),
  )

async function send({ path, method, operation }: Called, request: ArbitraryRequest): Promise<Answered> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_brace, name: string) =>
    encodeURIComponent(plain(request.path[name])),
  )
  const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
  const isForm = type.endsWith('urlencoded')
  const body = isForm
    ? new URLSearchParams(texts(Object(request.body))).toString()
    : JSON.stringify(request.body)
  const tokens = { good: goodToken(operation), broken: 'x.y.z' }
  const response = await fetch(
    `${server.url}${filled}?${new URLSearchParams(texts(request.query)).toString()}`,
    {
      method: method.toUpperCase(),
      headers: {
        // A header holds printable ASCII alone.
        ...Object.fromEntries(
          Object.entries(texts(request.header)).map(([name, text]) => [
            name,
            text.replaceAll(/[^ -~]/g, '?'),
          ]),
        ),
        ...(request.token === 'none' ? {} : { authorization: `Bearer ${tokens[request.token]}` }),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined || method === 'get' ? {} : { body }),
    },
  )
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  }
}

let parent: Awaited<ReturnType<typeof signUp>>
let token: string
let verified: string
let known: Record<string, unknown[]>

const goodToken = ({ security = [] }: DocumentedOperation) =>
  security.some((scheme) => 'validToken' in scheme) ? verified : token

beforeAll(async () => {
  parent = await signUp(server)
  token = parent.token
  verified = await validToken(server, '+821055556666')
  const children = await Promise.all([1, 2, 3].map(() => addChild(server, token)))
  const other = await signUp(server)
  const stranger = await addChild(server, other.token)
  const base = await connectBasestation(server, token)
  const free = await addBasestation(server)
  const guest = await signUp(server)
  const [first] = children
  const shared = { real_user_id: first?.real_user_id ?? 0, role: 'viewer' } as const
  const member = await addMember(server, parent, shared)
  const theirs = await share(server, other, parent, { real_user_id: stranger.real_user_id, role: 'guardian' })
  const invited = await shares(server).invite(parent, { ...shared, email: guest.email })
  const all = [...children, stranger]
  for (const { unique_id } of all) await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  known = {
    real_user_id: all.map((child) => child.real_user_id),
    id: all.map((child) => child.real_user_id),
    unique_id: [...all.map((child) => child.unique_id), base.unique_id, free.unique_id],
    serial_code: [...all.map((child) => child.serial_code), base.serial_code, free.serial_code],
    mac_id: all.map((child) => child.mac_id),
    device_id: all.map((child) => child.device_id),
    basestation_id: [base.basestation_id],
    share_id: [member.share_id, theirs.share_id],
    invitation_id: [invited.body.invitation_id],
    token: [await invitationToken(server, guest.email)],
    role: ['guardian', 'viewer'],
    until: ['2099-12-31', null],
    username: [parent.email],
    password: [PASSWORD, 'wrong password'],
    email: [parent.email, guest.email],
    phone: [parent.phone, '+821055556666'],
    event_date: ['2026-03-01'],
    created_at: ['2026-03-01'],
    start_date: ['2026-03-01'],
    end_date: ['2026-03-05'],
    current_date: ['2026-03-01'],
    select_mode: [0, 1, 2, 3],
    year: [0, 2026],
    select_data: [0, 1, 3],
    birthdate: ['20180203'],
    gender: ['F'],
  }
})

afterEach(() => void vi.useRealTimers())

/** Sends `count` requests to each operation; `before` runs before each. Resolves to the responses that must not be. */
async function fuzz(
  count: number,
  { salt, allows5xx = false, before }: { salt: number; allows5xx?: boolean; before?: () => Promise<unknown> },
): Promise<string[]> {
  const issues = new Set<string>()
  for (const called of operations) {
    const requests = fc.sample(arbitraryRequest(called.operation, known), {
      numRuns: count,
      seed: seed + salt,
    })
    const next = requests.values()
    const worker = async () => {
      for (const request of next) {
        await before?.()
        const response = await send(called, request)
        const is5xx = response.status >= 500 && !allows5xx
        const issue = is5xx ? 'the service failed' : issueOf(called, response)
        if (issue)
          issues.add(
            `${called.operation.operationId}: ${issue}: ${response.status} ${response.text.slice(0, 300)} to ${JSON.stringify(request).slice(0, 500)} (FUZZ_SEED=${seed})`,
          )
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }
  return [...issues]
}

/** Signs in with the service's present clock. */
const signInAgain = async () => {
  const { body } = await signIn(server, parent.email)
  token = body.access_token
}

test(
  'with a database that loses connections at random, every answer is one of the document',
  { timeout },
  async () => {
    const admin = await openDatabase(inject('postgresUrl'), { pool: 1 })
    const name = new URL(server.databaseUrl).pathname.slice(1)
    let calls = 0
    const before = async () => {
      calls += 1
      if (calls % 5 === 0)
        await admin.pool.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND random() < 0.5',
          [name],
        )
    }
    try {
      expect(await fuzz(Math.ceil(runs / 10), { salt: 1, allows5xx: true, before })).toEqual([])
    } finally {
      await admin.close()
    }
  },
)

test.each(['2016-02-29T23:59:59.999Z', '2096-12-31T15:00:00.000Z'])(
  'with a clock that shows %s, every answer is one of the document and none is 5xx',
  { timeout },
  async (now) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    await signInAgain()
    expect(await fuzz(Math.ceil(runs / 10), { salt: 2 })).toEqual([])
  },
)

test('every answer is one of the document, and none is 5xx', { timeout }, async () => {
  await signInAgain()
  expect(await fuzz(runs, { salt: 0 })).toEqual([])
})
