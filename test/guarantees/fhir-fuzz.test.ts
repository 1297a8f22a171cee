import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { askFhir } from '../support/fhir.ts'
import { fhirIssues } from '../support/files/fhir.ts'
import { addService, granted, SERVICE } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'

/* Every search gets a Bundle or an OperationOutcome, and never an error of the service itself. */

const server = useServer()
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)

let token: string
let child: number
beforeAll(async () => {
  ;({ token } = await signUp(server))
  const made = await addChild(server, token)
  child = made.real_user_id
  await upload(server, [devlogItem(made.unique_id, '2026-03-01T21:30:00')])
})

const types = [
  'Patient',
  'Device',
  'Observation',
  'QuestionnaireResponse',
  'MedicationStatement',
  'DocumentReference',
]
const names = [
  '_id',
  '_count',
  '_lastUpdated',
  '_summary',
  '_cursor',
  '_format',
  '_sort',
  'patient',
  'subject',
  'date',
  'authored',
  'effective',
  'code',
  'category',
  'code:not',
  'patient.name',
]
const dates = fc
  .tuple(
    fc.constantFrom('', 'eq', 'ge', 'gt', 'le', 'lt', 'ne', 'sa'),
    fc.constantFrom(
      '0000',
      '0001',
      '2026',
      '9999',
      '10000',
      '2026-02',
      '2026-02-31',
      '2026-03-01',
      '2026-03-01T00:00:00Z',
      '9999-12-31T23:59:59.999-14:00',
      '2026-03-01T24:00:00Z',
    ),
  )
  .map((parts) => parts.join(''))
const places = fc
  .tuple(
    fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 31 - 1),
    fc.constantFrom(
      '',
      '2026-03-01T00:00:00',
      '9999-12-31T23:59:59',
      '2026-13-01T00:00:00',
      '0001-01-01T00:00:00+15:59',
      '2026-03-01T00:00:00+00:00',
      'infinity',
    ),
    fc.constantFrom('treatment', 'note', 'survey', 'device', 'child', 'report', 'basestation', 'x'),
    fc.constantFrom('1', '0', '2147483648', '999999999999999999', '2026-03', '2026-99', '-1'),
    fc.constantFrom(0, 10_000, -1, 10_001),
  )
  .map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'))
const ids = fc.oneof(
  fc
    .constantFrom('child', 'treatment', 'note', 'survey', 'device', 'report', 'note-hospital', 'account')
    .chain((kind) =>
      fc
        .constantFrom(
          '1',
          '1-1',
          '1-1-1',
          '2147483647',
          '2147483648-1',
          '1-999999999999999999',
          '1-2026-03',
          '0',
          '-1',
        )
        .map((key) => `${kind}-${key}`),
    ),
)
const value = fc.oneof(
  dates,
  places,
  ids,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '1',
    '500',
    '501',
    'count',
    'true',
    'a|b',
    '|',
    '||',
    ',',
    'child-1,child-2',
    '\0',
    '%',
    'x'.repeat(3000),
  ),
)
const parameter = fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), value)

test('any search is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types),
      fc.array(parameter, { maxLength: 5 }),
      fc.boolean(),
      fc.boolean(),
      async (type, parameters, isPosted, isStrict) => {
        const query = new URLSearchParams(
          parameters.map(([name, each]): [string, string] => [name.toWellFormed(), each.toWellFormed()]),
        ).toString()
        const headers: Record<string, string> = isStrict ? { prefer: 'handling=strict' } : {}
        const { status, body } = isPosted
          ? await askFhir(server, `${type}/_search`, token, {
              method: 'POST',
              body: query,
              headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
            })
          : await askFhir(server, `${type}?${query}`, token, { headers })
        expect([200, 400, 406, 413]).toContain(status)
        if (body !== undefined) {
          expect(['Bundle', 'OperationOutcome']).toContain(body.resourceType)
          if (status !== 200) expect(fhirIssues(body)).toEqual([])
        }
      },
    ),
    { numRuns: RUNS },
  )
}, 120_000)

test('any id is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types, 'Binary', 'RelatedPerson', 'Questionnaire'),
      fc.oneof(ids, fc.string({ minLength: 1 })),
      async (type, id) => {
        const { status } = await askFhir(server, `${type}/${encodeURIComponent(id.toWellFormed())}`, token)
        expect([200, 404, 405]).toContain(status)
      },
    ),
    { numRuns: RUNS },
  )
  expect(child).toBeGreaterThan(0)
}, 120_000)

test('any request for an export is answered', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const service = await granted(
    server,
    parent,
    { children: [real_user_id] },
    await addService(server, SERVICE),
  )
  const { access_token } = await service.clientCredentials('child:read')
  const asked = fc.tuple(
    fc.oneof(fc.constantFrom('_type', '_since', '_outputFormat', '_typeFilter', ...names), fc.string()),
    fc.oneof(value, fc.constantFrom('Patient', 'Patient,Device', 'ndjson', '2026-03-01T00:00:00Z')),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(asked, { maxLength: 4 }),
      fc.constantFrom('GET', 'POST', 'json'),
      fc.constantFrom('respond-async', 'respond-async, handling=lenient', 'x'),
      async (parameters, method, prefer) => {
        const written = parameters.map(([name, each]): [string, string] => [
          name.toWellFormed(),
          each.toWellFormed(),
        ])
        const body = JSON.stringify({
          resourceType: 'Parameters',
          parameter: written.map(([name, valueString]) => ({ name, valueString })),
        })
        const { status, body: answered } =
          method === 'json'
            ? await askFhir(server, '$export', access_token, {
                method: 'POST',
                body,
                headers: { prefer, 'content-type': 'application/json' },
              })
            : await askFhir(server, `$export?${new URLSearchParams(written).toString()}`, access_token, {
                method,
                headers: { prefer },
              })
        expect([202, 400, 403, 406, 429]).toContain(status)
        if (answered !== undefined) expect(answered.resourceType).toBe('OperationOutcome')
      },
    ),
    { numRuns: RUNS },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uuid(), fc.string({ minLength: 1 })),
      fc.option(
        fc.oneof(
          fc.constantFrom('Patient-1.ndjson', 'Patient-0.ndjson', 'x-999999999.ndjson'),
          fc.string({ minLength: 1 }),
        ),
      ),
      async (id, file) => {
        const path = [id, ...(file === null ? [] : [file])].map((each) =>
          encodeURIComponent(each.toWellFormed()),
        )
        expect((await askFhir(server, `$export/${path.join('/')}`, access_token)).status).toBe(404)
      },
    ),
    { numRuns: RUNS },
  )
}, 120_000)
