import { beforeAll, describe, expect, test } from 'vitest'
import { sorts } from '@companion/server/clinics/child.ts'
import { addClinician, clinicOf } from '../support/clinicians.ts'
import type { Clinician } from '../support/clinicians.ts'
import { connectClinic, newClinic } from '../support/clinics.ts'
import { addChild, childProfile, signUp } from '../support/family.ts'
import { PLANNINGS, useOneConnection } from '../support/query-plans.ts'

/*
 * The list of a clinic with 2,000 of 10,000 children: each statement reads each of its children a few times, and none once for each
 * other child.
 */

const server = useOneConnection()
const CHILDREN = 10_000
const CLINICS = 5
const MOST_ROWS = (30 * CHILDREN) / CLINICS

let clinician: Clinician
let clinicId: number

beforeAll(async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const { clinic_id, code } = await newClinic(server)
  clinicId = clinic_id
  clinician = await addClinician(server, clinicId)
  const { connection_id } = await connectClinic(server, parent, { code, real_user_id })
  // What is copied has its figures.
  await clinicOf(server, clinicId).children(clinician)
  for (let n = 1; n < CLINICS; n += 1) await newClinic(server)
  const { pool } = server.database
  const copyRows = async (table: string, id: number, changed: Record<string, string>) => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    )
    const names = rows.map(({ name }) => name)
    await pool.query(
      `INSERT INTO ${table} (${names.join()}) OVERRIDING SYSTEM VALUE
       SELECT ${names.map((name) => changed[name] ?? name).join()} FROM ${table}, generate_series(1, ${CHILDREN - 1}) n WHERE id = ${id}`,
    )
  }
  await pool.query('SET session_replication_role = replica')
  await copyRows('real_user', real_user_id, { id: 'id + n' })
  await copyRows('clinic_connection', connection_id, {
    id: 'id + n',
    real_user_id: 'real_user_id + n',
    clinic_id: `clinic_id + n % ${CLINICS}`,
    silent_since: `silent_since - interval '30 days'`,
    is_below_plan: 'true',
  })
  await pool.query('RESET session_replication_role')
  await pool.query(`LOAD 'auto_explain'`)
  for (const [name, value] of Object.entries({
    log_min_duration: '0',
    log_level: 'notice',
    log_format: 'json',
    log_analyze: 'on',
    log_timing: 'off',
  }))
    await pool.query(`SET auto_explain.${name} = '${value}'`)
})

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Node[]
  [removed: `Rows Removed by ${string}`]: number | undefined
}

/** How many rows all nodes of a plan have read or made. */
function rowsOf({ Plans = [], 'Actual Loops': loops, ...node }: Node): number {
  const removed = Object.entries(node).map(([name, value]) =>
    name.startsWith('Rows Removed') && typeof value === 'number' ? value : 0,
  )
  const own = [node['Actual Rows'], ...removed].reduce((sum, rows) => sum + rows, 0)
  return Plans.reduce((sum, plan) => sum + rowsOf(plan), own * loops)
}

const queries = sorts.flatMap((sort) => [
  { sort },
  { sort, flag: 'no_upload' },
  { sort, search: childProfile.first_name, limit: 200 },
  { sort, search: childProfile.first_name, flag: 'no_upload' },
  { sort, search: childProfile.first_name, flag: 'below_plan' },
])

describe.each(['that has just grown', 'that PostgreSQL has analyzed'])('a clinic %s', (state) => {
  if (state === 'that PostgreSQL has analyzed')
    beforeAll(async () => void (await server.database.pool.query('VACUUM ANALYZE')))

  describe.each(PLANNINGS)('%s', (planning) => {
    test.each(queries)('%j', async (query) => {
      const found: number[] = []
      const note = ({ message = '' }) => {
        const [, plan] = /plan:\n([^]*)/.exec(message) ?? []
        if (plan) found.push(rowsOf(JSON.parse(plan).Plan))
      }
      const client = await server.database.pool.connect()
      client.on('notice', note)
      await client.query(`SET plan_cache_mode = ${planning}`)
      client.release()
      const { status, body } = await clinicOf(server, clinicId).children(clinician, query)
      client.off('notice', note)
      expect(status).toBe(200)
      expect(body.total).toBe(CHILDREN / CLINICS - ('flag' in query ? 1 : 0))
      expect(Math.max(...found)).toBeGreaterThan(CHILDREN / CLINICS)
      expect(Math.max(...found)).toBeLessThanOrEqual(MOST_ROWS)
    })
  })
})
