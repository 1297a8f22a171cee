import { once } from 'node:events'
import { gunzipSync, inflateRawSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { continueExport } from '@companion/server/fhir/export-work.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { connectBasestation } from '../../support/basestations.ts'
import {
  beginExport,
  exportedResources,
  exportingOf,
  makeExports,
  wholeExport,
} from '../../support/exports.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { allPages, askFhir } from '../../support/fhir.ts'
import { fhirIssues } from '../../support/files/fhir.ts'
import { addService, granted, SERVICE } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'
import { shares } from '../../support/shares.ts'

const server = useServer()
const EVERYTHING = 'child:read usage:read notes:read surveys:read reports:read'

let parent: Account
let first: Awaited<ReturnType<typeof addChild>>
let second: Awaited<ReturnType<typeof addChild>>

/** A service that the parent has let in, with a token of its own. */
async function backEnd(scope = EVERYTHING, children = [first.real_user_id, second.real_user_id]) {
  const service = await granted(server, parent, { scope, children }, await addService(server, SERVICE))
  const tokenFor = async (names: string) => (await service.clientCredentials(names)).access_token
  return { ...service, parentToken: service.token, tokenFor, token: await tokenFor(scope) }
}

beforeAll(async () => {
  parent = await signUp(server)
  first = await addChild(server, parent.token)
  second = await addChild(server, parent.token)
  await connectBasestation(server, parent.token)
  for (const { unique_id, real_user_id } of [first, second]) {
    await upload(
      server,
      Array.from({ length: 130 }, (_, n) =>
        devlogItem(unique_id, new Date(Date.UTC(2026, 0, 1 + n, 21)).toISOString().slice(0, 19), {
          log_file_id: n + 1,
        }),
      ),
    )
    await server.post('/api/v1/beta/event', {
      token: parent.token,
      json: {
        real_user_id,
        created_at: '2026-03-02',
        memo: '잘 잤어요',
        event_data: { medication: [{ medication_name: 'A', medication_dose: 1 }], hospital: ['Seoul'] },
      },
    })
    const scores = { attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
    await server.post('/api/v1/beta/survey', { token: parent.token, json: { real_user_id, ...scores } })
  }
})

afterEach(() => server.database.pool.query(`DELETE FROM fhir_export`))

describe('an export', () => {
  test('has what the searches have, once, in valid lines', async () => {
    const { token } = await backEnd()
    const { manifest, resources } = await wholeExport(server, token)
    expect(manifest).toEqual({
      transactionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request: `${server.url}/fhir/$export`,
      requiresAccessToken: true,
      output: expect.any(Array),
      deleted: [],
      error: [],
    })
    const types = [
      'Device',
      'DocumentReference',
      'MedicationStatement',
      'Observation',
      'Patient',
      'QuestionnaireResponse',
    ]
    expect(Object.keys(resources).toSorted()).toEqual(types)
    const key = ({ resourceType, id }: any) => `${resourceType}/${id}`
    for (const type of types) {
      const searched = await allPages(server, type, token)
      expect(resources[type]).toHaveLength(searched.length)
      const found = new Map(searched.map((resource) => [key(resource), resource]))
      for (const resource of resources[type] ?? []) expect(resource).toEqual(found.get(key(resource)))
    }
    expect(resources['Observation']).toHaveLength(2 * (130 + 2))
    expect(Object.values(resources).flat().slice(0, 50).flatMap(fhirIssues)).toEqual([])
  })

  test.each(['Patient/$export', '$export'])(
    'is begun at %s by GET and POST, and asked for until it is there',
    async (path) => {
      const { token } = await backEnd()
      for (const method of ['GET', 'POST']) {
        const begun = await beginExport(server, token, path, { method })
        expect([begun.status, begun.text]).toEqual([202, ''])
        const at = begun.headers.get('content-location') ?? ''
        expect(at).toMatch(new RegExp(String.raw`^${server.url}/fhir/\$export/[\da-f-]{36}$`))
        const waiting = await askFhir(server, at, token)
        expect([waiting.status, waiting.text]).toEqual([202, ''])
        expect(waiting.headers.get('x-progress')).toBe('0 resources so far')
        expect(waiting.headers.get('retry-after')).toBe('2')
        await makeExports(server)
        const done = await askFhir(server, at, token)
        expect(done.status).toBe(200)
        expect(done.headers.get('content-type')).toMatch(/^application\/json/)
        expect(Date.parse(done.headers.get('expires') ?? '')).toBeGreaterThan(Date.now())
        expect(done.body.request).toBe(`${server.url}/fhir/${path}`)
      }
    },
  )

  test('takes its parameters from a body of Parameters', async () => {
    const { token } = await backEnd()
    const body = JSON.stringify({
      resourceType: 'Parameters',
      parameter: [
        { name: '_type', valueString: 'Patient,Device' },
        { name: '_since', valueInstant: '2020-01-01T00:00:00+09:00' },
        { name: '_outputFormat', valueString: 'application/fhir+ndjson' },
      ],
    })
    const headers = { 'content-type': 'application/fhir+json' }
    const begun = await beginExport(server, token, '$export', { method: 'POST', body, headers })
    expect(begun.status).toBe(202)
    await makeExports(server)
    const { body: manifest } = await askFhir(server, begun.headers.get('content-location') ?? '', token)
    expect(manifest.output.map(({ type, count }: any) => [type, count])).toEqual([
      ['Device', 2],
      ['Patient', 2],
    ])
  })

  test.each(['application/fhir+ndjson', 'application%2Ffhir%2Bndjson', 'application/ndjson', 'ndjson'])(
    'is written as %s',
    async (format) => {
      const { token } = await backEnd()
      expect((await beginExport(server, token, `$export?_outputFormat=${format}`)).status).toBe(202)
    },
  )

  test('has what has changed since', async () => {
    const { token } = await backEnd()
    const { manifest } = await wholeExport(server, token, '$export?_type=Patient,Observation')
    expect(manifest.output).toHaveLength(2)
    await server.database.pool.query(
      `UPDATE real_user SET updated_at = now() - interval '1 day' WHERE id = $1`,
      [first.real_user_id],
    )
    await server.database.pool.query(`UPDATE treatment SET updated_at = now() - interval '1 day'`)
    await server.database.pool.query(`UPDATE event SET saved_at = now() - interval '1 day'`)
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const later = await wholeExport(server, token, `$export?_type=Patient,Observation&_since=${since}`)
    expect(later.resources['Patient']?.map(({ id }) => id)).toEqual([`child-${second.real_user_id}`])
    expect(later.resources['Observation']).toBeUndefined()
  })

  test('says a time before which every change is in it, also while somebody writes', async () => {
    const { token } = await backEnd()
    const writer = await server.database.pool.connect()
    try {
      await writer.query('BEGIN')
      await writer.query('SELECT now()')
      const { manifest } = await wholeExport(server, token, '$export?_type=Patient')
      const { rows } = await writer.query('SELECT $1::timestamptz <= now()::timestamptz(3) AS is_before', [
        manifest.transactionTime,
      ])
      expect(rows).toEqual([{ is_before: true }])
    } finally {
      await writer.query('ROLLBACK')
      writer.release()
    }
  })

  test('keeps within the scopes of the token, and within those of each grant', async () => {
    const service = await backEnd('child:read usage:read')
    const { resources } = await wholeExport(server, service.token)
    expect(Object.keys(resources).toSorted()).toEqual(['Device', 'Observation', 'Patient'])
    expect(resources['Observation']).toHaveLength(260)
    await server.database.pool.query('DELETE FROM fhir_export')
    const narrow = await service.tokenFor('system/Observation.rs')
    const observed = await wholeExport(server, narrow)
    expect(Object.keys(observed.resources)).toEqual(['Observation'])
  })

  test('of a device that siblings wear one after the other has it once', async () => {
    const owner = await signUp(server)
    const [one, other] = [await addChild(server, owner.token), await addChild(server, owner.token)]
    for (const [from, to] of [[one, other]] as const) {
      await server.database.pool.query('UPDATE device SET real_user_id = NULL WHERE id = $1', [to.device_id])
      await server.database.pool.query('UPDATE device SET real_user_id = $2 WHERE id = $1', [
        from.device_id,
        to.real_user_id,
      ])
    }
    const service = await granted(
      server,
      owner,
      { scope: 'usage:read', children: [one.real_user_id, other.real_user_id] },
      await addService(server, SERVICE),
    )
    const { access_token } = await service.clientCredentials('usage:read')
    const { resources } = await wholeExport(server, access_token, '$export?_type=Device')
    const ids = resources['Device']?.map(({ id }) => id)
    expect(ids?.toSorted()).toEqual([`device-${one.device_id}`, `device-${other.device_id}`].toSorted())
    expect(resources['Device']?.find(({ id }) => id === `device-${one.device_id}`)).toMatchObject({
      patient: { reference: `Patient/child-${other.real_user_id}` },
    })
  })

  test('has files of a bounded size', async () => {
    const { token } = await backEnd()
    const begun = await beginExport(server, token, '$export?_type=Observation')
    await continueExportOnce()
    await server.database.pool.query(`UPDATE fhir_export SET lines_of_file = 49999 WHERE state = 'running'`)
    await makeExports(server)
    const { body } = await askFhir(server, begun.headers.get('content-location') ?? '', token)
    expect(body.output.map(({ url }: any) => url.split('/').at(-1))).toEqual([
      'Observation-1.ndjson',
      'Observation-2.ndjson',
    ])
    expect((await exportedResources(server, token, body))['Observation']).toHaveLength(264)
  })

  test('is packed where that is accepted, in one member that every reader takes', async () => {
    const { token } = await backEnd()
    const { manifest } = await wholeExport(server, token, '$export?_type=Observation')
    const [{ url, count }] = manifest.output
    const fetched = async (encoding: string) => {
      const headers = { authorization: `Bearer ${token}`, 'accept-encoding': encoding }
      const asked = httpRequest(url, { headers }).end()
      const [response] = await once(asked, 'response')
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      return { headers: response.headers, bytes: Buffer.concat(chunks) }
    }
    const packed = await fetched('gzip')
    const plain = await fetched('identity')
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('Accept-Encoding'),
    })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['content-type']).toBe('application/fhir+ndjson')
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
    // Many readers know one member alone.
    expect(inflateRawSync(packed.bytes.subarray(10)).equals(plain.bytes)).toBe(true)
    expect(plain.bytes.toString().split('\n')).toHaveLength(count + 1)
    const head = await askFhir(server, url, token, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('stands in the trail and in "who looked" when its files are fetched', async () => {
    const { token } = await backEnd('child:read', [first.real_user_id])
    const looked = async () => {
      await server.trailWritten()
      const { items } = (await shares(server).access(parent, first.real_user_id, { limit: 500 })).body
      return items
        .filter(({ operation }: any) => operation === 'fhir.export')
        .reduce((sum: number, { times }: any) => sum + times, 0)
    }
    const before = await looked()
    await wholeExport(server, token)
    expect(await looked()).toBe(before + 1)
  })

  async function continueExportOnce() {
    // A turn that is cut off after its first step.
    const stopping = new AbortController()
    const { database, ...rest } = exportingOf(server)
    const query: typeof database.query = async (statement, values) => {
      const rows = await database.query(statement, values)
      if (statement.name === 'fhir-export-store') stopping.abort()
      return rows
    }
    await continueExport({ ...rest, database: { ...database, query } }, stopping.signal)
  }
})

describe('an error', () => {
  const errorOf = ({ status, body }: Awaited<ReturnType<typeof askFhir>>) => {
    expect(fhirIssues(body)).toEqual([])
    return [status, body.issue[0].diagnostics]
  }

  test.each([
    ['without Prefer', '$export', { prefer: '' }, 'Prefer: respond-async is required'],
    [
      'of another preference',
      '$export',
      { prefer: 'respond-asynchronous' },
      'Prefer: respond-async is required',
    ],
    ['of an unknown type', '$export?_type=Practitioner', {}, /^_type must be of Patient, Device, /],
    ['of one unknown type among others', '$export?_type=Patient,Binary', {}, /^_type must be of/],
    ['of no type', '$export?_type=', {}, /^_type must be of/],
    ['since a date', '$export?_since=2026-03-01', {}, /^_since must be a moment/],
    ['since no zone', '$export?_since=2026-03-01T00:00:00', {}, /^_since must be a moment/],
    ['since a date that is none', '$export?_since=2026-02-31T00:00:00Z', {}, /^_since must be a moment/],
    ['since no time', '$export?_since=ge2026-03-01T00:00:00Z', {}, /^_since must be a moment/],
    [
      'in another format',
      '$export?_outputFormat=text/csv',
      {},
      '_outputFormat must be application/fhir+ndjson',
    ],
    ['with an unknown parameter', '$export?_typeFilter=x', {}, 'Parameter "_typeFilter" is not known'],
  ])('400 %s', async (_what, path, headers, text) => {
    const { token } = await backEnd('child:read usage:read')
    const [status, diagnostics] = errorOf(await beginExport(server, token, path, { headers }))
    expect(status).toBe(400)
    expect(diagnostics).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
  })

  test('an unknown parameter is left out where the service is lenient', async () => {
    const { token } = await backEnd('child:read')
    const headers = { prefer: 'respond-async, handling=lenient' }
    expect((await beginExport(server, token, '$export?_typeFilter=x', { headers })).status).toBe(202)
  })

  test.each([
    ['application/fhir+json', 400, '{'],
    ['application/json', 400, '[]'],
    ['application/json', 400, '['.repeat(40) + ']'.repeat(40)],
    ['application/fhir+json', 400, '{"resourceType": "Patient"}'],
    ['application/x-www-form-urlencoded', 415, '_type=Patient'],
    ['application/json', 413, `{"resourceType": "Parameters", "x": "${'x'.repeat(20_000)}"}`],
  ])('body %#, as %s: %d', async (type, status, body) => {
    const { token } = await backEnd('child:read')
    const begun = await beginExport(server, token, '$export', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    expect(errorOf(begun)[0]).toBe(status)
  })

  test('401 without a good token, 406 for who takes no JSON, 405 for other methods', async () => {
    expect(errorOf(await beginExport(server, undefined))).toEqual([401, 'Could not validate credentials'])
    const { token } = await backEnd('child:read')
    const headers = { accept: 'application/fhir+xml' }
    expect(errorOf(await beginExport(server, token, '$export', { headers }))[0]).toBe(406)
    const put = await beginExport(server, token, '$export', { method: 'PUT' })
    expect([...errorOf(put), put.headers.get('allow')]).toEqual([
      405,
      'Method Not Allowed',
      'GET, POST, OPTIONS',
    ])
    // It would begin one.
    expect((await beginExport(server, token, '$export', { method: 'HEAD' })).status).toBe(405)
  })

  test('403 for the token of a parent, of a grant, and for types that the token does not open', async () => {
    const service = await backEnd('child:read')
    const refused = [403, 'Insufficient scope']
    for (const token of [parent.token, service.parentToken]) {
      expect(errorOf(await beginExport(server, token))).toEqual(refused)
      expect(errorOf(await askFhir(server, '$export/x', token))).toEqual(refused)
      expect(errorOf(await askFhir(server, '$export/x', token, { method: 'DELETE' }))).toEqual(refused)
      expect(errorOf(await askFhir(server, '$export/x/Patient-1.ndjson', token))).toEqual(refused)
    }
    expect(errorOf(await beginExport(server, service.token, '$export?_type=Patient,Observation'))).toEqual(
      refused,
    )
  })

  test('404 for an export and a file that are not there, or are of another service', async () => {
    const [own, other] = [await backEnd('child:read'), await backEnd('child:read')]
    const { at, manifest } = await wholeExport(server, own.token)
    const gone = [404, 'Resource not found']
    const [{ url }] = manifest.output
    for (const [path, token] of [
      [at, other.token],
      [url, other.token],
      [`${at}/Patient-2.ndjson`, own.token],
      [`${at}/Observation-1.ndjson`, own.token],
      [`${at}/x`, own.token],
      [`${at}/Patient-1.ndjson/x`, own.token],
      ['$export/00000000-0000-4000-8000-000000000000', own.token],
      ['$export/x', own.token],
      ['$export/x/Patient-1.ndjson', own.token],
    ] as const)
      expect([path, errorOf(await askFhir(server, path, token))]).toEqual([path, gone])
    expect(errorOf(await askFhir(server, at, other.token, { method: 'DELETE' }))).toEqual(gone)
    expect((await askFhir(server, at, own.token)).status).toBe(200)
  })

  test('429 for a second one of a service while the first runs; of twenty at once one is begun', async () => {
    const [own, other] = [await backEnd('child:read'), await backEnd('child:read')]
    const all = await Promise.all(Array.from({ length: 20 }, () => beginExport(server, own.token)))
    const statuses = all.map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    expect(statuses.filter((status) => status === 429)).toHaveLength(19)
    const second = await beginExport(server, own.token)
    expect([...errorOf(second), second.headers.get('retry-after')]).toEqual([429, 'Too many requests', '10'])
    expect((await beginExport(server, other.token)).status).toBe(202)
    await makeExports(server)
    expect((await beginExport(server, own.token)).status).toBe(202)
  })

  test('a file is not there before all are', async () => {
    const { token } = await backEnd('child:read')
    const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
    expect((await askFhir(server, `${at}/Patient-1.ndjson`, token)).status).toBe(404)
  })
})

describe('DELETE', () => {
  test.each(['running', 'complete'])('ends an export that is %s, and the next may begin', async (state) => {
    const { token } = await backEnd('child:read')
    const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
    if (state === 'complete') await makeExports(server)
    const ended = await askFhir(server, at, token, { method: 'DELETE' })
    expect([ended.status, ended.text]).toEqual([202, ''])
    expect((await askFhir(server, at, token)).status).toBe(404)
    expect((await askFhir(server, at, token, { method: 'DELETE' })).status).toBe(404)
    expect((await askFhir(server, `${at}/Patient-1.ndjson`, token)).status).toBe(404)
    expect((await beginExport(server, token)).status).toBe(202)
  })

  test('is heard by a process that is at it', async () => {
    const { token } = await backEnd()
    const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
    const { database, ...rest } = exportingOf(server)
    const query: typeof database.query = async (statement, values) => {
      if (statement.name === 'fhir-export-store') await askFhir(server, at, token, { method: 'DELETE' })
      return database.query(statement, values)
    }
    await continueExport({ ...rest, database: { ...database, query } })
    const { rows } = await server.database.pool.query('SELECT FROM fhir_export_part')
    expect(rows).toEqual([])
  })
})

test('a day later an export is gone, and purged', async () => {
  const { token } = await backEnd()
  const { at } = await wholeExport(server, token)
  const { pool } = server.database
  await pool.query(`UPDATE fhir_export SET expires_at = expires_at - interval '24 hours 1 second'`)
  expect((await askFhir(server, at, token)).status).toBe(404)
  expect((await askFhir(server, `${at}/Patient-1.ndjson`, token)).status).toBe(404)
  const purged = await purge(server.database, server.config)
  expect(purged).toMatchObject({ fhir_exports: 1 })
  expect(purged?.['fhir_export_parts']).toBeGreaterThan(5)
  expect((await pool.query('SELECT FROM fhir_export')).rows).toEqual([])
})
