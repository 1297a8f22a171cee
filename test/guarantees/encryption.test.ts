import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { encryptedTables } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { canaries, canariesIn, live } from '../support/canaries.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

/* What a stolen dump tells about a family: docs/decisions/encryption-by-column.md. */

const server = useServer({ TRUST_PROXY: '1' })

/** Columns that hold text of any kind and are not encrypted, by the reason. */
const readable = {
  'a word or a code of the service': [
    'passkey.transports',
    'access_grant.scopes',
    'alert.kind',
    'alert.outcome',
    'change.kind',
    'consent.kind',
    'consent.source',
    'consent.version',
    'fhir_export.scopes',
    'fhir_export.stream',
    'fhir_export.types',
    'fhir_export_part.scope',
    'fhir_export_part.type',
    'oauth_state.kind',
    'night_watch.kind',
    'plan.bedtime',
    'real_user.gender',
    'rejected_devlog.reason',
    'root_user.gender',
    'root_user.given_versions',
    'root_user.national_code',
    'root_user.register_type',
    'root_user.time_zone',
    'root_user.missing_night_at',
    'root_user.quiet_from',
    'root_user.quiet_to',
    'security_record.action',
    'security_record.reason',
    'security_record.request_id',
    'trail.actor_kind',
    'trail.operation',
    'trail.outcome',
    'trail.request_id',
    'trail_repeat.reads',
    'trail_upload.actor',
    'trail_upload.actor_kind',
    'trail_upload.operation',
    'trail_upload.outcome',
    'trail_upload.request_id',
    'sent_code.country',
    'sms_country.country',
    'social_identity.issuer',
    'social_identity.provider',
  ],
  'printed on hardware': [
    'basestation.serial_code',
    'basestation.unique_id',
    'device.hardware',
    'device.mac_id',
    'device.serial_code',
    'device.unique_id',
  ],
  'about a firmware, and what devices make of it': [
    'device_firmware.detail',
    'device_firmware.stage',
    'firmware.hardware',
    'firmware.notes_en',
    'firmware.notes_ko',
    'firmware.version',
    'firmware_release.hardware',
    'firmware_release.stop_detail',
  ],
  'about a company': [
    'fhir_export.base',
    'fhir_export.request',
    'clinic.code',
    'clinic.name',
    'clinic.url',
    'client.client_id',
    'client.contact',
    'client.jwks',
    'client.name',
    'client.publisher',
    'client.redirect_uris',
    'client.scopes',
    'client.url',
    'webhook.last_fault',
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
  'ids, hashes and scopes': [
    'fhir_export.place',
    'oauth_state.payload',
    'rate_limit.key',
    'root_user.password_hash',
  ],
  'encrypted with the id of the step, which is in the browser alone': ['oauth_state.answer'],
  'an id that the provider gives, looked up by it': ['social_identity.subject'],
}

test('each column that can hold text is encrypted, or it is said why not', async () => {
  const { rows } = await server.database.pool.query<{ name: string; is_one_of: boolean }>(`
    SELECT c.relname || '.' || a.attname AS name, EXISTS (
      SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' AND conkey = ARRAY[a.attnum]
        AND pg_get_constraintdef(oid, true) ~ '^CHECK \\(\\w+ = ANY \\(ARRAY\\[[^]]*\\]\\)\\)$') AS is_one_of
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
      AND (SELECT typcategory FROM pg_type WHERE oid = coalesce(nullif((SELECT typelem FROM pg_type
        WHERE oid = a.atttypid AND typcategory = 'A'), 0), a.atttypid)) IN ('S', 'U')
      AND a.atttypid NOT IN ('bytea'::regtype, 'uuid'::regtype, 'xid8'::regtype)`)
  const encrypted = Object.entries(encryptedTables).flatMap(([table, { columns }]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  // One of a list of words says nothing of a person that the list does not.
  const words = new Set(rows.filter(({ is_one_of }) => is_one_of).map(({ name }) => name))
  const said = [...encrypted, ...Object.values(readable).flat()].filter(
    (name) => !name.endsWith('.unique_id') && !words.has(name),
  )
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => !words.has(name))
      .toSorted(),
  ).toEqual(said.toSorted())
  expect(encrypted.filter((name) => words.has(name))).toEqual([])
})

test('nothing that a family has written can be read in the tables or in the log', async () => {
  const canary = canaries()
  const { token, real_user_id, names, child, event_data } = await live(server, canary)

  const { rows: tables } = await server.database.pool.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const told: string[] = []
  for (const { name } of tables) {
    const { rows } = await server.database.pool.query(`SELECT t::text AS line FROM ${name} t`)
    const text = rows.map(({ line }) => String(line)).join('\n')
    told.push(...canariesIn(text, canary).map((what) => `${name}: ${what}`))
  }
  expect(told).toEqual([])
  expect(canariesIn(server.log(), canary)).toEqual([])

  expect((await server.get('/api/v1/beta/user/me', { token })).body).toMatchObject(names)
  expect((await server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token })).body).toMatchObject(
    child,
  )
  const shares = await server.get('/api/v1/beta/share', { token, query: { real_user_id } })
  expect(shares.body.invitations).toMatchObject([{ email: canary.invited }])
  const query = { real_user_id, event_date: '2026-03-01' }
  expect((await server.get('/api/v1/beta/event', { token, query })).body).toMatchObject({
    memo: canary.memo,
    event_data,
  })
})

test('a process is ready once it knows what is encrypted: until then it sends what it looks for as it is, too', async () => {
  const database = await openDatabase(server.databaseUrl, {
    pool: 1,
    keyRing: keyRingOf(server.config, TEST_SECRET),
  })
  onTestFinished(() => database.close())
  expect(database.keyRing.isComplete).toBe(false)
  expect(await database.isReady()).toBe(true)
  expect(database.keyRing.isComplete).toBe(true)
})
