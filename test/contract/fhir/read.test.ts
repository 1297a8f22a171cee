import { beforeAll, describe, expect, test } from 'vitest'
import { connectBasestation } from '../../support/basestations.ts'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { allPages, askFhir, nextPage } from '../../support/fhir.ts'
import { fhirIssues } from '../../support/files/fhir.ts'
import { unzipExport } from '../../support/files/zip.ts'
import { addService, granted, SERVICE } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'

const server = useServer()
const limited = useServer({ RATE_LIMITS: 'on' })

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
const ask = (path: string, token: string | undefined = parent.token, init = {}) =>
  askFhir(server, path, token, init)

beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  await connectBasestation(server, parent.token)
  await upload(server, [
    devlogItem(child.unique_id, '2026-02-27T21:30:00'),
    devlogItem(child.unique_id, '2026-03-01T21:30:00', { log_file_id: 2 }),
    devlogItem(child.unique_id, '2026-03-02T21:30:00', { log_file_id: 3 }),
  ])
  const { real_user_id } = child
  const note = {
    real_user_id,
    created_at: '2026-03-02',
    memo: 'Slept well',
    event_data: { hospital: ['Seoul'] },
  }
  await server.post('/api/v1/beta/event', { token: parent.token, json: note })
})

describe('without a token', () => {
  test('the CapabilityStatement is valid, and says what is served', async () => {
    const { status, body, headers } = await askFhir(server, 'metadata')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8')
    expect(fhirIssues(body)).toEqual([])
    expect(body).toMatchObject({ fhirVersion: '4.0.1', implementation: { url: `${server.url}/fhir` } })
    for (const { type, interaction, searchParam = [] } of body.rest[0].resource) {
      if (!interaction.some(({ code }: any) => code === 'search-type')) continue
      const values: Record<string, string> = { date: 'ge2026', token: 'x', reference: 'x' }
      for (const { name, type: of } of searchParam) {
        const path = `${type}?${name}=${values[of]}`
        const { status: found } = await ask(path, parent.token, { headers: { prefer: 'handling=strict' } })
        expect([path, found]).toEqual([path, 200])
      }
    }
  })

  test('the configuration of SMART names the endpoints', async () => {
    const { status, body, headers } = await askFhir(server, '.well-known/smart-configuration')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toMatchObject({
      issuer: server.url,
      token_endpoint: `${server.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
    })
    expect(body.scopes_supported).toEqual(
      expect.arrayContaining(['patient/*.rs', 'launch/patient', 'usage:read']),
    )
    expect(body.capabilities).toContain('permission-v2')
  })

  test('the codes are there, and nothing about anybody', async () => {
    const codes = await askFhir(server, 'CodeSystem/companion')
    expect(codes.status).toBe(200)
    expect(fhirIssues(codes.body)).toEqual([])
    for (const path of [
      'Patient',
      'Patient/child-1',
      'Observation',
      'Binary/x',
      'Questionnaire/survey',
      'RelatedPerson/account-1',
    ]) {
      const { status, body, headers } = await askFhir(server, path)
      expect([path, status, body]).toEqual([
        path,
        401,
        {
          resourceType: 'OperationOutcome',
          issue: [{ severity: 'error', code: 'login', diagnostics: 'Could not validate credentials' }],
        },
      ])
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(fhirIssues(body)).toEqual([])
    }
  })
})

describe('errors', () => {
  test.each([
    '',
    'Nothing',
    'Patient/child-1/more',
    'Patient/child-1/$more',
    'CodeSystem/x',
    'Practitioner/1',
    'Patient/%E0%A4%A',
    'a/b/c/d',
  ])('nothing is at /fhir/%s', async (path) => {
    const { status, body } = await ask(path)
    expect([status, body.issue[0]]).toEqual([
      404,
      { severity: 'error', code: 'not-found', diagnostics: 'Resource not found' },
    ])
  })

  test.each([
    'Patient/child-2147483647',
    'Patient/x',
    'Patient/child-99999999999',
    'Patient/device-1',
    'Observation/treatment-1-999999999999999999',
    'Observation/note-1-99999999999',
    'Device/device-2147483647',
    'QuestionnaireResponse/survey-1-99999999999',
    'MedicationStatement/note-medication-1-1-1',
    'DocumentReference/report-1-2026-13',
    'Binary/report-1999999999-2026-03',
    'Questionnaire/x',
    'RelatedPerson/account-1999999999',
  ])('/fhir/%s is not found', async (path) => {
    const { status, body } = await ask(path)
    expect([status, body.issue[0].diagnostics]).toEqual([404, 'Resource not found'])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is no method of what is read', async (method) => {
    const { status, headers, body } = await ask('Patient/child-1', parent.token, { method })
    expect([status, headers.get('allow'), body.issue[0].diagnostics]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'Method Not Allowed',
    ])
  })

  test('what is not JSON is not there', async () => {
    for (const [path, accept] of [
      ['Patient', 'application/fhir+xml'],
      ['metadata', 'text/html'],
      ['Patient?_format=xml', '*/*'],
      ['metadata?_format=application/fhir%2Bxml', '*/*'],
    ] as const) {
      const { status, body } = await ask(path, parent.token, { headers: { accept } })
      expect([path, status, body.issue[0].code]).toEqual([path, 406, 'not-supported'])
    }
    for (const accept of [
      '',
      'application/fhir+json; fhirVersion=4.0',
      'text/html, application/json;q=0.9',
      '*/*',
    ])
      expect((await ask('Patient', parent.token, { headers: { accept } })).status).toBe(200)
    expect((await ask('Patient?_format=json')).status).toBe(200)
    expect(
      (await ask('Patient?_format=application/fhir+json', parent.token, { headers: { accept: 'text/html' } }))
        .status,
    ).toBe(200)
  })

  test('a bad token, a blocked account, an ended grant', async () => {
    expect((await ask('Patient', 'a.b.c')).headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token"',
    )
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    const { token, ...connection } = await granted(server, other, { children: [theirs.real_user_id] })
    expect((await ask('Patient', token)).body.entry).toHaveLength(1)
    await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [other.id])
    expect(await ask('Patient', token)).toMatchObject({
      status: 423,
      body: { issue: [{ diagnostics: 'Access denied. Account blocked' }] },
    })
    await server.database.pool.query('UPDATE root_user SET blocked_at = NULL WHERE id = $1', [other.id])
    await connection.revoke(token)
    expect((await ask('Patient', token)).status).toBe(401)
  })

  test('a service that calls too often has to wait', async () => {
    const account = await signUp(limited)
    const theirs = await addChild(limited, account.token)
    const { token } = await granted(limited, account, { children: [theirs.real_user_id] })
    const first = await askFhir(limited, 'Patient', token)
    expect(first.headers.get('ratelimit')).toContain('"calls"')
    let last = first
    for (let n = 0; n < 1300 && last.status !== 429; n += 1) last = await askFhir(limited, 'Patient', token)
    expect(last).toMatchObject({
      status: 429,
      body: { issue: [{ code: 'throttled', diagnostics: 'Too many requests' }] },
    })
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/)
  }, 60_000)
})

test('every origin may call, without credentials', async () => {
  const origin = 'https://app.example.org'
  const preflight = await askFhir(server, 'Patient', undefined, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization')
  for (const { headers } of [
    preflight,
    await ask('Patient', parent.token, { headers: { origin } }),
    await ask('Patient', 'x', { headers: { origin } }),
  ]) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
  const plain = await askFhir(server, 'Observation', undefined, { method: 'OPTIONS' })
  expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const rest = await fetch(`${server.url}/api/v1/beta/user/me`, { headers: { origin } })
  expect(rest.headers.get('access-control-allow-origin')).toBeNull()
})

test('HEAD answers the headers alone', async () => {
  const { status, text, headers } = await ask('Patient', parent.token, { method: 'HEAD' })
  expect([status, text]).toEqual([200, ''])
  expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8')
})

test("another's records are not there, and the trail tells of who has asked for them", async () => {
  const stranger = await signUp(server)
  const id = `child-${child.real_user_id}`
  const [observation] = await allPages(server, 'Observation', parent.token)
  for (const path of [
    `Patient/${id}`,
    `Observation/${observation.id}`,
    `Patient/${id}/$everything`,
    `Binary/report-${child.real_user_id}-2026-03`,
  ])
    expect((await ask(path, stranger.token)).status).toBe(404)
  await ask(`Observation?patient=${id}`, stranger.token)
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT operation, outcome FROM trail WHERE real_user_id = $1 AND actor = $2 ORDER BY 1`,
    [child.real_user_id, String(stranger.id)],
  )
  expect(rows).toEqual([
    { operation: 'fhir.read', outcome: '404 Resource not found' },
    { operation: 'fhir.search', outcome: '404 Resource not found' },
  ])
})

test('reports: one a month with a use, the newest first, each as PDF or in a Binary', async () => {
  const all = await allPages(server, 'DocumentReference?_count=1', parent.token)
  expect(all.map(({ id }) => id)).toEqual(
    ['2026-03', '2026-02'].map((month) => `report-${child.real_user_id}-${month}`),
  )
  const [march] = all
  for (const document of all) expect(fhirIssues(document)).toEqual([])
  expect(march).toMatchObject({
    context: { period: { start: '2026-03-01', end: '2026-03-31' } },
    // In the time zone of the service.
    date: '2026-04-01T04:00:00.000Z',
    content: [{ attachment: { url: `${server.url}/fhir/Binary/${march.id}` } }],
  })
  expect((await ask(`DocumentReference/${march.id}`)).body).toEqual(march)
  expect(await allPages(server, 'DocumentReference?date=ge2026-04', parent.token)).toEqual([march])
  expect((await ask('DocumentReference?_summary=count')).body.total).toBe(2)
  const url = march.content[0].attachment.url
  for (const accept of [undefined, 'application/pdf', '*/*']) {
    const { headers, text } = await ask(
      url,
      parent.token,
      accept === undefined ? {} : { headers: { accept } },
    )
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(text.startsWith('%PDF')).toBe(true)
  }
  for (const [address, accept] of [
    [url, 'application/fhir+json'],
    // It precedes the header.
    [`${url}?_format=json`, '*/*'],
    [`${url}?_format=application/fhir+json`, 'application/pdf'],
  ] as const) {
    const { body } = await ask(address, parent.token, { headers: { accept } })
    expect(fhirIssues(body)).toEqual([])
    expect(Buffer.from(body.data, 'base64').toString('latin1').startsWith('%PDF')).toBe(true)
  }
  expect((await ask(url, parent.token, { headers: { accept: 'text/html' } })).status).toBe(406)
  expect((await ask(`Binary/report-${child.real_user_id}-2026-01`)).status).toBe(404)
  const { token } = await granted(server, parent, { scope: 'usage:read', children: [child.real_user_id] })
  expect((await ask(url, token)).status).toBe(403)
}, 60_000)

test('without a base station there is no report', async () => {
  const other = await signUp(server)
  const theirs = await addChild(server, other.token)
  await upload(server, [devlogItem(theirs.unique_id, '2026-03-01T21:30:00')])
  expect(await allPages(server, 'DocumentReference', other.token)).toEqual([])
  expect((await ask(`Binary/report-${theirs.real_user_id}-2026-03`, other.token)).status).toBe(404)
})

describe('$everything', () => {
  const path = () => `Patient/child-${child.real_user_id}/$everything`

  test('is all that the searches find, in pages', async () => {
    const types = [
      'Patient',
      'Device',
      'Observation',
      'QuestionnaireResponse',
      'MedicationStatement',
      'DocumentReference',
    ]
    const searched: string[] = []
    for (const type of types)
      searched.push(
        ...(
          await allPages(
            server,
            type === 'Patient' ? type : `${type}?patient=child-${child.real_user_id}`,
            parent.token,
          )
        ).map(({ id }) => id),
      )
    for (const size of [1, 2, 3, 500]) {
      const all = await allPages(server, `${path()}?_count=${size}`, parent.token)
      expect(all.map(({ id }) => id)).toEqual(searched)
    }
    const { body } = await ask(`${path()}?_count=2`)
    expect(fhirIssues(body)).toEqual([])
    expect(nextPage(body)).toBeDefined()
    for (const query of ['_count=0', '_cursor=9', '_cursor=x', '_cursor=2.x'])
      expect((await ask(`${path()}?${query}`)).status).toBe(400)
  })

  test('leaves out what it does not know, or refuses it if the caller is strict', async () => {
    const strict = { headers: { prefer: 'respond-sync, handling="strict"' } }
    for (const query of ['_since=2026-01-01', '_type=Patient', 'colour=red']) {
      const { status, body } = await ask(`${path()}?${query}&_count=2`)
      expect([status, body.link[0].url]).toEqual([200, `${server.url}/fhir/${path()}?_count=2`])
      expect(await ask(`${path()}?${query}&_count=2`, parent.token, strict)).toMatchObject({
        status: 400,
        body: { issue: [{ diagnostics: `Parameter "${query.split('=')[0]}" is not known` }] },
      })
    }
    const known = await ask(`${path()}?_count=2&_format=json&_pretty=true`, parent.token, strict)
    const html = { headers: { accept: 'text/html', ...strict.headers } }
    expect((await ask(nextPage(known.body) ?? '', parent.token, html)).status).toBe(200)
  })

  test('keeps within the scopes, and needs that of the child', async () => {
    const { token } = await granted(server, parent, {
      scope: 'child:read notes:read',
      children: [child.real_user_id],
    })
    const kinds = (await allPages(server, path(), token)).map(({ id }) =>
      id.split('-').slice(0, -1).join('-'),
    )
    expect(kinds).toEqual([
      'child',
      `note-${child.real_user_id}`,
      `note-hospital-${child.real_user_id}-${kinds[2]?.split('-').at(-1)}`,
    ])
    const without = await granted(server, parent, { scope: 'usage:read', children: [child.real_user_id] })
    expect((await ask(path(), without.token)).status).toBe(403)
  })
})

test('each scope of a token of a service of its own holds for the children of its own grant alone', async () => {
  const service = await addService(server, SERVICE)
  const families = []
  for (const scope of ['usage:read', 'notes:read']) {
    const account = await signUp(server)
    const theirs = await addChild(server, account.token)
    await upload(server, [devlogItem(theirs.unique_id, '2026-03-01T21:30:00')])
    const note = { real_user_id: theirs.real_user_id, created_at: '2026-03-02', memo: 'Slept well' }
    await server.post('/api/v1/beta/event', { token: account.token, json: note })
    families.push(theirs.real_user_id)
    await granted(server, account, { scope, children: [theirs.real_user_id] }, service)
  }
  const [ofUses, ofNotes] = families
  const connection = await granted(
    server,
    parent,
    { scope: 'child:read', children: [child.real_user_id] },
    service,
  )
  const { access_token: token } = await connection.clientCredentials('usage:read notes:read')
  const kinds = (all: any[]) => all.map(({ id }) => id.split('-').slice(0, 2).join('-'))
  expect(kinds(await allPages(server, 'Observation', token))).toEqual([
    `treatment-${ofUses}`,
    `note-${ofNotes}`,
  ])
  expect(kinds(await allPages(server, `Observation?patient=child-${ofNotes}`, token))).toEqual([
    `note-${ofNotes}`,
  ])
  // That grant has another scope.
  expect((await ask(`Observation?patient=child-${child.real_user_id}`, token)).status).toBe(403)
  expect((await ask(`Observation/treatment-${ofNotes}-1`, token)).status).toBe(404)
})

test('the unique_id of a device is for the owner of the child who wears it alone', async () => {
  const path = `Device?patient=child-${child.real_user_id}`
  const told = async (token: string) => {
    const [device] = await allPages(server, path, token)
    expect(fhirIssues(device)).toEqual([])
    for (const at of [`Device/${device.id}`, `Patient/child-${child.real_user_id}/$everything`])
      expect((await ask(at, token)).text.includes(child.unique_id)).toBe(device.identifier.length > 1)
    return device.identifier.map(({ value }: { value: string }) => value)
  }
  expect(await told(parent.token)).toEqual([child.serial_code, child.unique_id])
  const share = { real_user_id: child.real_user_id, role: 'guardian' } as const
  const scope = 'child:read usage:read'
  const connection = await granted(server, parent, { scope, children: [child.real_user_id] })
  const ofItself = await connection.clientCredentials(scope)
  for (const token of [
    (await addMember(server, parent, share)).token,
    connection.token,
    ofItself.access_token,
  ])
    expect(await told(token)).toEqual([child.serial_code])
  const exported = await fetch(`${server.url}/api/v1/beta/user/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parent.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'fhir', password: PASSWORD }),
  })
  const files = JSON.stringify(unzipExport(new Uint8Array(await exported.arrayBuffer())))
  expect(files).toContain(child.serial_code)
  expect(files).not.toContain(child.unique_id)
})

test('a parent reads the own RelatedPerson with the own token, and nobody else', async () => {
  const own = `RelatedPerson/account-${parent.id}`
  const { status, body } = await ask(own)
  expect([status, fhirIssues(body)]).toEqual([200, []])
  expect(body).toMatchObject({ resourceType: 'RelatedPerson', id: `account-${parent.id}`, active: true })
  expect(body.patient.reference).toBe(`Patient/child-${child.real_user_id}`)
  const other = await signUp(server)
  expect((await ask(own, other.token)).status).toBe(404)
  // Of an account without a child there is none: FHIR has nobody who is related to no patient.
  expect((await ask(`RelatedPerson/account-${other.id}`, other.token)).status).toBe(404)
})

test('the owner sees who has read and searched', async () => {
  const owner = await signUp(server)
  const shared = await addChild(server, owner.token)
  const member = await addMember(
    server,
    { token: owner.token },
    { real_user_id: shared.real_user_id, role: 'viewer' },
  )
  await ask(`Patient/child-${shared.real_user_id}`, member.token)
  await ask(`Observation?patient=child-${shared.real_user_id}`, member.token)
  await server.trailWritten()
  const { body } = await server.get('/api/v1/beta/share/access', {
    token: owner.token,
    query: { real_user_id: shared.real_user_id },
  })
  expect(body.items.map(({ operation }: { operation: string }) => operation)).toEqual(
    expect.arrayContaining(['fhir.read', 'fhir.search']),
  )
})
