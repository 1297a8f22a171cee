import { beforeAll, expect, test } from 'vitest'
import { checkDueNights } from '@companion/server/delivery/watch-nights.ts'
import { PLANNINGS, useOneConnection } from '../support/query-plans.ts'

/* The worker that watches nights reads what is due and nothing else, however many children there are. */

const server = useOneConnection()
const CHILDREN = 5000
const AT = '2026-03-02T15:00:00Z'

beforeAll(async () => {
  const { pool } = server.database
  await pool.query(
    `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed, register_type,
       national_code)
     OVERRIDING SYSTEM VALUE SELECT n, '', '', '', 'F', true, true, 'E', 'KR' FROM generate_series(1, $1) n`,
    [CHILDREN],
  )
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     OVERRIDING SYSTEM VALUE SELECT n, n, '', '', '', 'F' FROM generate_series(1, $1) n`,
    [CHILDREN],
  )
  await pool.query(
    `INSERT INTO push_token (root_user_id, token, token_hash) SELECT n, n::text, sha256(n::text::bytea) FROM generate_series(1, $1) n`,
    [CHILDREN],
  )
  await pool.query(`UPDATE root_user SET is_missing_night_told = true`)
  await pool.query(
    `UPDATE night_watch SET evening = '2026-03-01',
       due_at = timestamptz '${AT}' + CASE WHEN real_user_id <= 3 THEN interval '0' ELSE interval '1 hour' END`,
  )
  await pool.query('ANALYZE')
})

test.each(PLANNINGS)(
  'what is due is found by its time and place, and what each needs by its key (%s)',
  async (planning) => {
    const { database } = server
    await checkDueNights(database, {
      now: () => new Date('2026-01-01T00:00:00Z'),
      timeZone: 'America/New_York',
    })
    await database.pool.query(`SET plan_cache_mode = ${planning}`)
    const { rows } = await database.pool.query(
      `EXPLAIN EXECUTE "judge-nights" ('${AT}', 'America/New_York', '2026-03-02')`,
    )
    await database.pool.query('RESET plan_cache_mode')
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index Scan using night_watch_due on night_watch')
    expect(plan).not.toMatch(/Seq Scan on (root_user|real_user|push_token|membership|alert)\b/)
    // For any values PostgreSQL expects a thousand to be due, which is a fifth of this table.
    if (planning === 'force_custom_plan') expect(plan).toContain('Tid Scan on night_watch w')
  },
)

test('a change of settings looks at the children of one account', async () => {
  const { pool } = server.database
  await pool.query(`UPDATE root_user SET missing_night_at = '09:00' WHERE id = 7`)
  const { rows } = await pool.query('SELECT real_user_id FROM night_watch WHERE evening IS NULL')
  expect(rows).toEqual([{ real_user_id: 7 }])
})
