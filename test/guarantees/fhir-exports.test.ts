import { afterEach, expect, test } from 'vitest'
import { continueExport } from '@companion/server/fhir/export-work.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { companion } from '../support/command.ts'
import { beginExport, exportedResources, exportingOf, makeExports, wholeExport } from '../support/exports.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { askFhir } from '../support/fhir.ts'
import { fhirIssues } from '../support/files/fhir.ts'
import { addService, granted, SERVICE } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'

/* Lines of an export go with the grant that they rest on, whenever it ends, and what cannot be read holds up no other child. */

const server = useServer()
const SCOPE = 'child:read usage:read notes:read'

afterEach(() => server.database.pool.query('DELETE FROM fhir_export'))

/** Two families that have let the same service in. */
async function twoFamilies() {
  const service = await addService(server, SERVICE)
  const families = []
  for (let n = 0; n < 2; n += 1) {
    const owner = await signUp(server)
    const child = await addChild(server, owner.token)
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00')])
    await server.post('/api/v1/beta/event', {
      token: owner.token,
      json: { real_user_id: child.real_user_id, created_at: '2026-03-02', memo: 'Slept well' },
    })
    const connection = await granted(server, owner, { scope: SCOPE, children: [child.real_user_id] }, service)
    const end = async () => {
      const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: owner.token })).body
      const { status } = await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: owner.token })
      expect(status).toBe(200)
    }
    families.push({ owner, ...child, connection, end })
  }
  const [first, second] = families
  if (!first || !second) throw new Error('There are two')
  const { access_token: token } = await first.connection.clientCredentials(SCOPE)
  return { first, second, token }
}

/** The children that the resources are about, by type. */
function childrenOf(resources: Record<string, any[]>) {
  const told = Object.entries(resources).map(([type, all]) => {
    const children = all.map(({ id, subject, patient }) =>
      String((subject ?? patient)?.reference ?? `Patient/${id}`),
    )
    return [type, [...new Set(children)].toSorted()]
  })
  return Object.fromEntries(told)
}

/** Runs `act` once, before the statement with this name, in a turn of the work on an export. */
async function makeExportsWhile(name: string, act: () => Promise<unknown>) {
  const { database, ...rest } = exportingOf(server)
  let isDone = false
  const query: typeof database.query = async (statement, values) => {
    if (statement.name === name && !isDone) {
      isDone = true
      await act()
    }
    return database.query(statement, values)
  }
  while (await continueExport({ ...rest, database: { ...database, query } }));
  expect(isDone).toBe(true)
}

test.each(['fhir-export-children', 'fhir-records', 'fhir-export-store'])(
  'a grant that ends before %s leaves no line of its child',
  async (statement) => {
    const { first, second, token } = await twoFamilies()
    const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
    await makeExportsWhile(statement, first.end)
    const { body } = await askFhir(server, at, token)
    const resources = await exportedResources(server, token, body)
    const patient = `Patient/child-${second.real_user_id}`
    expect(childrenOf(resources)).toEqual({ Patient: [patient], Device: [patient], Observation: [patient] })
    expect(JSON.stringify(resources)).not.toContain(`child-${first.real_user_id}"`)
  },
)

test('with a grant its lines go from files that are finished, with the next call', async () => {
  const { first, second, token } = await twoFamilies()
  const { at, manifest } = await wholeExport(server, token)
  const counts = (output: { type: string; count: number }[]) =>
    Object.fromEntries(output.map(({ type, count }) => [type, count]))
  expect(counts(manifest.output)).toEqual({ Device: 2, Observation: 4, Patient: 2 })
  await first.end()
  const { body } = await askFhir(server, at, token)
  expect(counts(body.output)).toEqual({ Device: 1, Observation: 2, Patient: 1 })
  const resources = await exportedResources(server, token, body)
  const patient = `Patient/child-${second.real_user_id}`
  expect(childrenOf(resources)).toEqual({ Patient: [patient], Device: [patient], Observation: [patient] })
  await second.end()
  expect((await askFhir(server, at, token)).body.output).toEqual([])
  for (const { url } of manifest.output) expect((await askFhir(server, url, token)).status).toBe(404)
  expect(await purge(server.database, server.config)).toMatchObject({ fhir_export_parts: 8 })
})

test.each(['the grant ends', 'the service is blocked'])(
  'a download that is under way when %s stops at the next lines',
  async (event) => {
    const { first, token } = await twoFamilies()
    const { manifest } = await wholeExport(server, token, '$export?_type=Observation')
    const { pool } = server.database
    // As many as are held back nowhere between the database and the reader.
    await pool.query(
      `INSERT INTO fhir_export_part (export_id, type, file, number, real_user_id, scope, lines, content)
       SELECT p.export_id, p.type, p.file, 100 + n, p.real_user_id, p.scope, p.lines, p.content
       FROM (SELECT * FROM fhir_export_part WHERE real_user_id = $1 LIMIT 1) p, generate_series(1, 20000) n`,
      [first.real_user_id],
    )
    const [{ url }] = manifest.output
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
    })
    const end = async () => {
      if (event === 'the grant ends') return first.end()
      const { client_id } = first.connection.service
      const { code } = await companion(server, 'client', 'block', client_id)
      expect(code).toBe(0)
    }
    let lines = 0
    let isEnded = false
    for await (const chunk of response.body ?? []) {
      lines += Buffer.from(chunk).toString().split('\n').length - 1
      if (!isEnded) await end()
      isEnded = true
    }
    expect(lines).toBeGreaterThan(0)
    expect(lines).toBeLessThan(15_000)
  },
)

test('a new consent with fewer scopes takes the lines of the others away, and leaves the rest', async () => {
  const { first, token } = await twoFamilies()
  const { at } = await wholeExport(server, token, '$export?_type=Patient,Observation')
  const again = { scope: 'child:read usage:read', children: [first.real_user_id] }
  await granted(server, first.owner, { ...again, prompt: 'consent' }, first.connection.service)
  const { body } = await askFhir(server, at, token)
  const resources = await exportedResources(server, token, body)
  const own = Object.values(resources)
    .flat()
    .filter((each) => JSON.stringify(each).includes(`child-${first.real_user_id}"`))
  expect(own.map(({ id }) => String(id).replace(/-.*/, '')).toSorted()).toEqual(['child', 'treatment'])
})

test('a child that is deleted leaves no line, and a blocked account none that is given out', async () => {
  const { first, second, token } = await twoFamilies()
  const { at } = await wholeExport(server, token, '$export?_type=Patient')
  const { pool } = server.database
  const lines = async () =>
    (await pool.query('SELECT real_user_id FROM fhir_export_part')).rows.map(
      ({ real_user_id }) => real_user_id,
    )
  expect(new Set(await lines())).toEqual(new Set([first.real_user_id, second.real_user_id]))
  const deleted = await server.delete('/api/v1/beta/user/delete-real-user', {
    token: first.owner.token,
    json: { real_user_id: first.real_user_id, unique_id: first.unique_id },
  })
  expect(deleted.status).toBe(200)
  expect(await lines()).toEqual([second.real_user_id])
  await pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [second.owner.id])
  expect((await askFhir(server, at, token)).body.output).toEqual([])
})

test('what cannot be read of one child is left out and said, and all others are there', async () => {
  const { first, second, token } = await twoFamilies()
  const { pool } = server.database
  await pool.query(`UPDATE event SET memo = memo || 'AAAA' WHERE real_user_id = $1`, [first.real_user_id])
  const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
  await makeExports(server)
  for (let attempts = 0; (await askFhir(server, at, token)).status === 202; attempts += 1) {
    expect(attempts).toBeLessThan(20)
    // The time until the next attempt passes.
    await pool.query(`UPDATE fhir_export SET claimed_until = now()`)
    await makeExports(server)
  }
  const { body } = await askFhir(server, at, token)
  expect(body.error).toEqual([{ type: 'OperationOutcome', url: `${at}/OperationOutcome-1.ndjson`, count: 2 }])
  const { text } = await askFhir(server, body.error[0].url, token)
  const outcomes = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(outcomes.flatMap(fhirIssues)).toEqual([])
  expect(outcomes.map(({ issue }) => issue[0].diagnostics)).toEqual(
    ['Observation', 'MedicationStatement'].map(
      (type) => `${type} of Patient/child-${first.real_user_id} could not be exported`,
    ),
  )
  const { Observation = [] } = await exportedResources(server, token, body)
  const kinds = Observation.map(({ id }) => String(id).split('-').slice(0, 2).join('-'))
  expect(new Set(kinds)).toEqual(
    new Set([
      `note-${second.real_user_id}`,
      `treatment-${first.real_user_id}`,
      `treatment-${second.real_user_id}`,
    ]),
  )
  expect(kinds).toHaveLength(3)
  await first.end()
  expect((await askFhir(server, at, token)).body.error).toEqual([])
})

test('a service that is blocked goes on when it no longer is', async () => {
  const { first, token } = await twoFamilies()
  const at = (await beginExport(server, token)).headers.get('content-location') ?? ''
  const block = (is: boolean) =>
    server.database.pool.query(
      `UPDATE client SET blocked_at = CASE WHEN $2 THEN now() END WHERE client_id = $1`,
      [first.connection.service.client_id, is],
    )
  await block(true)
  await makeExports(server)
  expect((await askFhir(server, at, token)).status).toBe(401)
  await block(false)
  expect((await askFhir(server, at, token)).status).toBe(202)
  await makeExports(server)
  expect((await askFhir(server, at, token)).body.output).toHaveLength(3)
})
