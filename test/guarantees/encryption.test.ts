import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { encryptedTables } from '@companion/server/database/encrypted-columns.ts'
import { addChild, anyPhone, devlogItem, signUp, upload } from '../support/family.ts'
import { useServer } from '../support/server.ts'

/* What a stolen dump tells about a family: docs/decisions/encryption-by-column.md. */

const server = useServer({ TRUST_PROXY: '1' })

/** Columns that hold text and are not encrypted, by the reason. */
const readable = {
  'a word or a code of the service': [
    'access_grant.scopes',
    'alert.channel',
    'alert.kind',
    'alert.outcome',
    'application_access.operation',
    'change.kind',
    'child_access.operation',
    'consent.kind',
    'consent.source',
    'consent.version',
    'invitation.role',
    'membership.role',
    'oauth_state.kind',
    'real_user.gender',
    'rejected_devlog.reason',
    'root_user.gender',
    'root_user.given_versions',
    'root_user.national_code',
    'root_user.register_type',
    'security_record.action',
    'security_record.reason',
    'security_record.request_id',
    'trail.actor_kind',
    'trail.operation',
    'trail.outcome',
    'trail.request_id',
    'trail_repeat.reads',
    'sent_code.country',
    'sms_country.country',
    'social_identity.issuer',
    'social_identity.provider',
  ],
  'printed on hardware': [
    'basestation.serial_code',
    'basestation.unique_id',
    'device.mac_id',
    'device.serial_code',
    'device.unique_id',
  ],
  'about a company': [
    'client.client_id',
    'client.contact',
    'client.jwks',
    'client.name',
    'client.publisher',
    'client.redirect_uris',
    'client.scopes',
    'client.url',
    'webhook.url',
  ],
  'about the database': [
    'applied_function.hash',
    'applied_function.name',
    'chain_block.record',
    'chain_head.record',
    'data_key.id',
    'data_key.proof',
    'migration.name',
  ],
  'the names of operators, or ids': [
    'security_record.approved_by',
    'security_record.operator',
    'trail.actor',
  ],
  'ids, hashes and scopes': ['oauth_state.payload', 'rate_limit.key', 'root_user.password_hash'],
  'an id that the provider gives, looked up by it': ['social_identity.subject'],
}

test('each column that can hold text is encrypted, or it is said why not', async () => {
  const { rows } = await server.database.pool.query(`
    SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
      AND (SELECT typcategory FROM pg_type WHERE oid = coalesce(nullif((SELECT typelem FROM pg_type
        WHERE oid = a.atttypid AND typcategory = 'A'), 0), a.atttypid)) IN ('S', 'U')
      AND a.atttypid NOT IN ('bytea'::regtype, 'uuid'::regtype, 'xid8'::regtype)`)
  const encrypted = Object.entries(encryptedTables).flatMap(([table, { columns }]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  const said = [...encrypted, ...Object.values(readable).flat()].filter(
    (name) => !name.endsWith('.unique_id'),
  )
  expect(rows.map(({ name }) => String(name)).toSorted()).toEqual(said.toSorted())
})

test('nothing that a family has written can be read in the tables or in the log', async () => {
  const canary = {
    memo: `memo-${randomUUID()}`,
    overwritten: `overwritten-${randomUUID()}`,
    medicine: `medicine-${randomUUID()}`,
    hospital: `hospital-${randomUUID()}`,
    alias: `alias-${randomUUID()}`,
    setAside: `set-aside-${randomUUID()}`,
    push: `push-token-${randomUUID()}`,
    parent: `Parent-${randomUUID()}`,
    family: `Family-${randomUUID()}`,
    parentBorn: '19030405',
    child: `Child-${randomUUID()}`,
    childLast: `Last-${randomUUID()}`,
    childBorn: '20130506',
    email: `canary-${randomUUID()}@example.com`,
    phone: anyPhone(),
    invited: `invited-${randomUUID()}@example.com`,
    address: '2001:db8:77:88::99',
    network: '2001:db8:77:88::/64',
  }
  const { token } = await signUp(server, canary)
  const { real_user_id, unique_id, device_id } = await addChild(server, token)
  const parent = { first_name: canary.parent, last_name: canary.family, birthdate: canary.parentBorn }
  expect(await server.patch('/api/v1/beta/user/root-user', { token, json: parent })).toMatchObject({
    status: 200,
    body: parent,
  })
  const child = { first_name: canary.child, last_name: canary.childLast, birthdate: canary.childBorn }
  const path = `/api/v1/beta/user/real-user/${real_user_id}`
  expect(await server.patch(path, { token, json: { id: real_user_id, ...child } })).toMatchObject({
    status: 200,
    body: child,
  })
  const save = (json: object) =>
    server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: '2026-03-01', ...json } })
  await save({ memo: canary.overwritten })
  const event_data = {
    medication: [{ medication_name: canary.medicine, medication_dose: 10 }],
    hospital: [canary.hospital],
  }
  expect((await save({ memo: canary.memo, event_data })).status).toBe(200)
  const renamed = await server.patch(`/api/v1/beta/device/${device_id}`, {
    token,
    json: { device_alias: canary.alias },
  })
  expect(renamed).toMatchObject({ status: 200, body: { device_alias: canary.alias } })
  const invited = { real_user_id, role: 'viewer', email: canary.invited }
  expect((await server.post('/api/v1/beta/share/invitation', { token, json: invited })).status).toBe(200)
  const from = { 'x-forwarded-for': canary.address }
  const bad = { ...devlogItem(unique_id, '1970-01-01T00:00:00'), note: canary.setAside }
  await upload(server, [bad], { ...from, prefer: 'handling=lenient' })
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id }, headers: from })
  await server.post('/api/v1/alpha/auth/email/signin', {
    form: { username: canary.email, password: 'wrong' },
    headers: from,
  })
  await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: 'x' }, headers: from })
  const policy = { is_push_agree: true, push_token: canary.push }
  expect((await server.patch('/api/v1/beta/user/policy', { token, json: policy })).status).toBe(200)

  const { rows: tables } = await server.database.pool.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const told: string[] = []
  for (const { name } of tables) {
    const { rows } = await server.database.pool.query(`SELECT t::text AS line FROM ${name} t`)
    const text = rows.map(({ line }) => String(line)).join('\n')
    for (const [what, value] of Object.entries(canary))
      if (text.includes(value) || text.includes(Buffer.from(value).toString('hex')))
        told.push(`${name}: ${what}`)
  }
  expect(told).toEqual([])
  for (const value of Object.values(canary)) expect(server.log()).not.toContain(value)

  expect((await server.get('/api/v1/beta/user/me', { token })).body).toMatchObject(parent)
  expect((await server.get(path, { token })).body).toMatchObject(child)
  const shares = await server.get('/api/v1/beta/share', { token, query: { real_user_id } })
  expect(shares.body.invitations).toMatchObject([{ email: canary.invited }])
  const query = { real_user_id, event_date: '2026-03-01' }
  expect((await server.get('/api/v1/beta/event', { token, query })).body).toMatchObject({
    memo: canary.memo,
    event_data,
  })
})
