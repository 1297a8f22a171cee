/*
 * How the judge of firmware releases does: fleets of 2,000 devices with a good firmware and with each kind of a bad one, each with
 * another seed. It prints who was stopped, why and when. A fleet takes 5 to 15 seconds.
 *
 *   pnpm bench:firmware [--seeds 200] [--first 1] [--kinds good,failed,silent,contact-loss,shorter]
 *     [--steps 10,50,100] [--wait-days 5] [--devices 2000]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { runFleet } from '../support/firmware-fleet.ts'
import type { FleetKind } from '../support/firmware-fleet.ts'

const ALL: readonly FleetKind[] = ['good', 'failed', 'silent', 'contact-loss', 'shorter']

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    first: { type: 'string', default: '1' },
    kinds: { type: 'string', default: ALL.join() },
    steps: { type: 'string', default: '10,50,100' },
    'wait-days': { type: 'string', default: '5' },
    devices: { type: 'string', default: '2000' },
  },
})

const kinds = ALL.filter((kind) => options.kinds.split(',').includes(kind))
const waitDays = Number(options['wait-days'])
const directory = await mkdtemp(join(tmpdir(), 'companion-fleets-'))
try {
  const embedded = await openEmbeddedPostgres({ directory, settings: { fsync: 'off' } })
  const database = await openDatabase(embedded.url, { pool: 2 })
  try {
    await database.migrate()
    await database.pool.query(
      `INSERT INTO root_user (first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed, register_type,
         national_code) VALUES ('', '', '', 'F', true, true, 'E', 'US')`,
    )
    await database.pool.query(
      `INSERT INTO real_user (root_user_id, first_name, last_name, birthdate, gender) SELECT id, '', '', '', 'F' FROM root_user`,
    )
    console.log(
      '| firmware | seed | stopped for | day | step | second step began | |\n|---|--:|---|--:|--:|--:|---|',
    )
    for (let seed = Number(options.first); seed < Number(options.first) + Number(options.seeds); seed += 1)
      for (const kind of kinds) {
        const { stopped, secondStepDay, steps } = await runFleet(database, {
          kind,
          seed,
          devices: Number(options.devices),
          steps: options.steps.split(',').map(Number),
          waitDays,
          days: 3 * waitDays,
        })
        const { reason = 'nothing', day = '', step = steps, detail = '' } = stopped ?? {}
        console.log(
          `| ${kind} | ${seed} | ${reason} | ${day} | ${step} | ${secondStepDay ?? ''} | ${detail} |`,
        )
      }
  } finally {
    await database.close()
    await embedded.stop()
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
