import { decodeJwt, importJWK, jwtVerify } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { allPages, askFhir } from '../../support/fhir.ts'
import { fhirIssues } from '../../support/files/fhir.ts'
import {
  addService,
  addSigningService,
  connect,
  consentAt,
  createBrowser,
  REDIRECT,
  SERVICE,
} from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
let first: Awaited<ReturnType<typeof addChild>>
let second: Awaited<ReturnType<typeof addChild>>

beforeAll(async () => {
  parent = await signUp(server)
  first = await addChild(server, parent.token)
  second = await addChild(server, parent.token)
  for (const { unique_id } of [first, second])
    await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
})

interface Launch {
  scope: string
  aud?: string | null
  children?: number[]
  language?: string
}

/** A standalone launch: from the address of the API to the response of the token endpoint. */
async function launch({ scope, aud = `${server.url}/fhir`, children = [first.real_user_id] }: Launch) {
  const service = await addService(server, SERVICE)
  const connection = await connect(server, service)
  const url = await connection.authorizeUrl({ scope })
  if (aud !== null) url.searchParams.set('aud', aud)
  const browser = createBrowser(server.url)
  const redirect = await consentAt(url, server, browser, parent, { children })
  return { connection, redirect, service, browser }
}

async function tokensOf(asked: Launch): Promise<any> {
  const { connection, redirect, service } = await launch(asked)
  const response = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${service.client_id}:${service.client_secret}`)}`,
      origin: 'https://app.example.org',
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: connection.verifier,
    }),
  })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  const tokens: any = await response.json()
  return { ...tokens, service, connection }
}

describe('a standalone launch', () => {
  test('gives a token for the child that was chosen, and says which one', async () => {
    const scope = 'openid fhirUser launch/patient patient/Observation.rs patient/Patient.read'
    const tokens = await tokensOf({ scope, children: [second.real_user_id] })
    expect(tokens).toMatchObject({ token_type: 'Bearer', patient: `child-${second.real_user_id}` })
    expect(tokens.scope.split(' ').toSorted()).toEqual(scope.split(' ').toSorted())
    expect(tokens).not.toHaveProperty('refresh_token')
    const { access_token: token } = tokens
    const patients = await allPages(server, 'Patient', token)
    expect(patients.map(({ id }) => id)).toEqual([tokens.patient])
    expect(await allPages(server, 'Observation', token)).toHaveLength(1)
    // Its own type alone, though on REST the same scope opens devices too.
    expect((await askFhir(server, 'Device', token)).status).toBe(403)
    const day = { real_user_id: second.real_user_id }
    expect((await server.get('/api/v1/beta/treatment', { token, query: day })).status).toBe(200)
    expect((await server.get('/api/v1/beta/user/real-user', { token })).body).toHaveLength(1)

    const configuration: any = await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()
    const { keys }: any = await (await fetch(configuration.jwks_uri)).json()
    const { payload } = await jwtVerify(tokens.id_token, await importJWK(keys[0], 'EdDSA'), {
      issuer: configuration.issuer,
      audience: tokens.service.client_id,
    })
    expect(payload['fhirUser']).toBe(`${server.url}/fhir/RelatedPerson/account-${parent.id}`)
    const person = await askFhir(server, String(payload['fhirUser']), token)
    expect(fhirIssues(person.body)).toEqual([])
    expect(person.body).toMatchObject({
      resourceType: 'RelatedPerson',
      id: `account-${parent.id}`,
      patient: { reference: `Patient/${tokens.patient}` },
    })
  })

  test('without `fhirUser` nobody learns who the parent is', async () => {
    const tokens = await tokensOf({ scope: 'openid launch/patient patient/Patient.rs' })
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty('fhirUser')
    expect((await askFhir(server, `RelatedPerson/account-${parent.id}`, tokens.access_token)).status).toBe(
      404,
    )
  })

  test.each([
    ['patient/*.rs', 6],
    ['patient/*.read', 6],
    ['usage:read', 2],
    ['patient/MedicationStatement.rs', 1],
    ['patient/DocumentReference.rs', 1],
  ])('%s opens %i types', async (scope, count) => {
    const { access_token } = await tokensOf({ scope })
    const types = [
      'Patient',
      'Device',
      'Observation',
      'QuestionnaireResponse',
      'MedicationStatement',
      'DocumentReference',
    ]
    const statuses = await Promise.all(
      types.map(async (type) => (await askFhir(server, type, access_token)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(count)
    expect(statuses.filter((status) => status === 403)).toHaveLength(6 - count)
  })

  test('needs exactly one child', async () => {
    const both = [first.real_user_id, second.real_user_id]
    await expect(launch({ scope: 'launch/patient patient/Patient.rs', children: both })).rejects.toThrow(
      'Please choose only one child.',
    )
    const { access_token, ...tokens } = await tokensOf({ scope: 'patient/Patient.rs', children: both })
    expect(tokens).not.toHaveProperty('patient')
    expect(await allPages(server, 'Patient', access_token)).toHaveLength(2)
  })

  test('refuses an `aud` that is another or missing, but only where SMART is spoken', async () => {
    for (const aud of [null, `${server.url}/other`, 'https://elsewhere.example.org/fhir']) {
      const { redirect } = await launch({ scope: 'launch/patient patient/Patient.rs', aud })
      expect(redirect.searchParams.get('error')).toBe('invalid_request')
      expect(redirect.searchParams.get('error_description')).toBe(`aud must be ${server.url}/fhir`)
    }
    for (const aud of [null, 'anything'])
      expect((await launch({ scope: 'usage:read', aud })).redirect.searchParams.get('code')).toBeTruthy()
    expect(
      (await launch({ scope: 'patient/Patient.rs', aud: `${server.url}/fhir/` })).redirect.searchParams.get(
        'code',
      ),
    ).toBeTruthy()
  })

  test('refuses scopes that are not known, or that open nothing', async () => {
    for (const scope of [
      'patient/Patient.cruds',
      'user/Patient.rs',
      'launch',
      'openid fhirUser',
      'launch/patient online_access',
    ]) {
      const { redirect } = await launch({ scope })
      expect([scope, redirect.searchParams.get('error')]).toEqual([scope, 'invalid_scope'])
    }
  })

  test('the page says what each scope means, and lets choose one child', async () => {
    const connection = await connect(server, await addService(server))
    const url = await connection.authorizeUrl({
      scope: 'openid fhirUser online_access launch/patient patient/Observation.rs patient/Device.rs',
    })
    url.searchParams.set('aud', `${server.url}/fhir`)
    for (const [language, sentences] of [
      [
        'en',
        [
          'see when and how the device was used',
          'recognize you when you come again',
          'know which one child you choose',
          'keep this access while you are signed in here',
        ],
      ],
      [
        'ko',
        [
          '기기를 언제 어떻게 사용했는지 보기',
          '다시 방문했을 때 보호자 알아보기',
          '선택한 자녀 한 명이 누구인지 알기',
          '여기에 로그인되어 있는 동안 계속 접근하기',
        ],
      ],
    ] as const) {
      const browser = createBrowser(server.url, language)
      let at = (await browser.ask(url)).location
      await browser.ask(at, { email: parent.email, password: 'correct horse', action: 'go' })
      let page = ''
      // Sign-in, and what leads on from it.
      for (let steps = 0; steps < 6 && !page.includes('name="child"'); steps += 1) {
        const shown = await browser.ask(at)
        if (shown.location) at = shown.location
        else if (shown.page.includes('name="password"')) {
          const { PASSWORD } = await import('../../support/password.ts')
          at = (await browser.ask(at, { email: parent.email, password: PASSWORD, action: 'go' })).location
        } else page = shown.page
      }
      const listed = [...page.matchAll(/<li>([^<]*)<\/li>/g)].map(([, text]) => text)
      expect(listed).toEqual(sentences)
      expect(page.match(/type="radio" name="child"/g)).toHaveLength(2)
    }
  })
})

describe('how long a token lasts', () => {
  test('`offline_access` gives a refresh token that says the patient again', async () => {
    const tokens = await tokensOf({ scope: 'launch/patient patient/Patient.rs offline_access' })
    const refreshed = await tokens.connection.refresh(tokens.refresh_token)
    expect(refreshed).toMatchObject({ patient: `child-${first.real_user_id}` })
  })

  test('`online_access` gives one that ends with the sign-in of the browser', async () => {
    const tokens = await tokensOf({ scope: 'launch/patient patient/Patient.rs online_access' })
    const refreshed = await tokens.connection.refresh(tokens.refresh_token)
    expect(refreshed.refresh_token).toBeTruthy()
    await server.database.pool.query(`DELETE FROM oauth_state WHERE kind = 'Session'`)
    await expect(tokens.connection.refresh(refreshed.refresh_token)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})

test('a service that was registered by one name may ask by the other', async () => {
  const service = await addService(server, { ...SERVICE, scopes: ['usage:read'] })
  const connection = await connect(server, service)
  for (const [scope, error] of [
    ['patient/Observation.rs', null],
    ['patient/Device.read', null],
    ['patient/Patient.rs', 'invalid_scope'],
    ['patient/*.rs', 'invalid_scope'],
  ] as const) {
    const url = await connection.authorizeUrl({ scope })
    url.searchParams.set('aud', `${server.url}/fhir`)
    const browser = createBrowser(server.url)
    const redirect = await consentAt(url, server, browser, parent, { children: [first.real_user_id] })
    expect([scope, redirect.searchParams.get('error')]).toEqual([scope, error])
  }
})

test.each([
  ['RS384', 'issuer'],
  ['ES384', 'token endpoint'],
] as const)('a back end proves itself by %s, to the %s', async (alg, audience) => {
  const { askToken } = await addSigningService(server, { alg, scope: 'system/*.rs' })
  const aud = audience === 'issuer' ? server.url : `${server.url}/oauth/token`
  const { status, body } = await askToken({ aud, life: '4m' })
  expect([status, body.scope]).toEqual([200, 'system/*.rs'])
  expect(await allPages(server, 'Patient', body.access_token)).toEqual([])
})
