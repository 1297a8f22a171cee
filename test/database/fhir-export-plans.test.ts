import { beforeAll, expect, test } from 'vitest'
import { wholeExport } from '../support/exports.ts'
import { addChild, signUp } from '../support/family.ts'
import { addService, connect, grantTo } from '../support/oauth.ts'
import { expectFrugal, PLANNINGS, useOneConnection } from '../support/query-plans.ts'

/* Bulk exports beside 3,000 others, of which 60 have 500 parts each, for a service with 500 grants: each statement reads from its indexes. */

const server = useOneConnection()
const GRANTS = 500
const OTHERS = 3000
const WITH_PARTS = 60
const tables = ['fhir_export', 'fhir_export_part']

let own: { id: string; client: string }
beforeAll(async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const service = await addService(server)
  const scopes = ['child:read', 'usage:read'] as const
  await grantTo(server, {
    rootUserId: parent.id,
    clientId: service.client_id,
    scopes,
    children: [real_user_id],
  })
  const { pool } = server.database
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [
    service.client_id,
  ])
  const client = String(rows[0]?.id)
  // Each of a family of its own, as parents grant.
  await pool.query(
    `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, national_code, register_type, is_phone_number_checked,
       is_signup_completed, password_changed_at)
     SELECT $1 + n, 'A', '', '19800101', 'F', 'KR', 'E', true, true, now() FROM generate_series(1, $2::int) n`,
    [parent.id, GRANTS],
  )
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT $1::int + n, $2::int + n, 'A', '', '20180203', 'F' FROM generate_series(1, $3::int) n`,
    [real_user_id, parent.id, GRANTS],
  )
  await pool.query(
    `WITH g AS (
       INSERT INTO access_grant (root_user_id, client_id, scopes)
       SELECT $2::int + n, $4::int, '{child:read,usage:read}' FROM generate_series(1, $3::int) n RETURNING id, root_user_id
     )
     INSERT INTO access_grant_child (grant_id, real_user_id) SELECT id, root_user_id - $2::int + $1::int FROM g`,
    [real_user_id, parent.id, GRANTS, client],
  )
  const { access_token: token } = await (await connect(server, service)).clientCredentials(scopes.join(' '))
  const { at } = await wholeExport(server, token, '$export?_type=Patient')
  own = { id: at.split('/').at(-1) ?? '', client }
  await pool.query(
    `WITH e AS (
       INSERT INTO fhir_export (client_id, request, base, types, scopes, stream, taken_at, expires_at, state)
       SELECT $1, '', '', '{}', '{}', '', now(), now() + interval '1 day', 'complete' FROM generate_series(1, $2::int) RETURNING id
     )
     INSERT INTO fhir_export_part (export_id, type, file, number, real_user_id, scope, lines, content)
     SELECT e.id, 'Observation', 1, n, $3::int + n, 'usage:read', 1, '' FROM (SELECT * FROM e LIMIT $5) e, generate_series(1, $4::int) n`,
    [client, OTHERS, real_user_id, GRANTS, WITH_PARTS],
  )
  await pool.query(
    'VACUUM ANALYZE root_user, fhir_export, fhir_export_part, access_grant, access_grant_child, real_user',
  )
}, 120_000)

test.each(PLANNINGS)('parts of a file, ten at a time, %s', async (planning) => {
  const values = [own.id, own.client, 'Patient', '1', '100']
  const plan = await expectFrugal(
    server.database,
    { statement: 'fhir-export-parts', values, planning, form: 'alone' },
    { buffers: 200, tables },
  )
  expect(plan).toContain('fhir_export_part_pkey')
})

test.each(PLANNINGS)('the export that is next, and how far one is, %s', async (planning) => {
  const of = (statement: string, values: string[]) =>
    expectFrugal(server.database, { statement, values, planning, form: 'alone' }, { buffers: 60, tables })
  expect(await of('fhir-export-claim', ['00000000-0000-4000-8000-000000000000', '30'])).toContain(
    'fhir_export_due',
  )
  await of('fhir-export', [own.id, own.client])
})

test.each(PLANNINGS)('files of an export do not read those of others, %s', async (planning) => {
  const plan = await expectFrugal(
    server.database,
    { statement: 'fhir-export-files', values: [own.id, own.client], planning, form: 'alone' },
    { buffers: 12 * GRANTS, tables: ['fhir_export_part'] },
  )
  expect(plan).toContain('fhir_export_part_pkey')
})
