/*
 * Compares the cost of a read through the entity manager, typed SQL and a named statement: CPU time of this process and
 * time of a response, for one child by its id and for 30 nights of a child. See docs/decisions/use-of-the-orm.md.
 *
 *   node test/bench/orm.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { RealUser, Treatment } from '@companion/server/entities/entities.ts'
import { statement } from '@companion/server/database/statement.ts'

const CHILDREN = 1000
const CALLS = 1000
const ROUNDS = 5

const CHILD = statement('bench-child', 'SELECT * FROM real_user WHERE id = $1')
const NIGHTS = statement(
  'bench-nights',
  'SELECT * FROM treatment WHERE real_user_id = $1 AND deleted_at IS NULL',
)

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const postgres = await openEmbeddedPostgres({ directory })
const database = await openDatabase(postgres.url, { pool: 1 })
try {
  await database.migrate()
  await database.pool.query(
    `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed,
       register_type, national_code) VALUES (1, '', '', '', 'P', true, true, 'E', 'KR')`,
  )
  await database.pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT n, 1, 'Mina', '', '20180203', 'F' FROM generate_series(1, ${CHILDREN}) n`,
  )
  await database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT child, child, timestamp '2026-03-01' + night * interval '1 day', 3600, night, 20, 1, '{1,2,3}'
     FROM generate_series(1, ${CHILDREN}) child, generate_series(0, 29) night`,
  )
  await database.pool.query('ANALYZE')
  await compare('one child', {
    'entity manager': (id) => database.fork().find(RealUser, { id }),
    'typed SQL': (id) => database.sql.selectFrom('real_user').selectAll().where('id', '=', id).execute(),
    'named statement': (id) => database.query(CHILD, [id]),
  })
  await compare('30 nights', {
    'entity manager': (id) => database.fork().find(Treatment, { real_user_id: id, deleted_at: null }),
    'typed SQL': (id) =>
      database.sql
        .selectFrom('treatment')
        .selectAll()
        .where('real_user_id', '=', id)
        .where('deleted_at', 'is', null)
        .execute(),
    'named statement': (id) => database.query(NIGHTS, [id]),
  })
} finally {
  await database.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Alternates the three ways in rounds and prints their medians. */
async function compare(what: string, ways: Record<string, (child: number) => Promise<unknown[]>>) {
  const rounds = Object.entries(ways).map(([way, read]) => ({
    way,
    read,
    cpu: [] as number[],
    wall: [] as number[],
  }))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { read, cpu, wall } of rounds) {
      const [busy, started] = [process.cpuUsage(), performance.now()]
      for (let n = 1; n <= CALLS; n += 1) await read((n % CHILDREN) + 1)
      const { user, system } = process.cpuUsage(busy)
      // The first round only warms up the compiler.
      if (round === 0) continue
      cpu.push((user + system) / CALLS)
      wall.push((1000 * (performance.now() - started)) / CALLS)
    }
  }
  for (const { way, cpu, wall } of rounds) {
    process.stdout.write(`${what}, ${way}: ${median(cpu)} µs of CPU, answered after ${median(wall)} µs\n`)
  }
}

function median(values: readonly number[]): string {
  return (values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0).toFixed(0)
}
