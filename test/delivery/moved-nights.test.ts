import { describe, expect, test } from 'vitest'
import type { Database } from '@companion/server/database/database.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { moveNights } from '../support/moved-nights.ts'
import { useServer } from '../support/server.ts'

/*
 * Some families in twelve zones around changes of the clock, in each form of the database; `test/bench/year-of-nights.ts` has more of
 * them, for a year.
 */

const SPRING = { first: '2026-03-06', last: '2026-03-11' }
const AUTUMN = { first: '2026-10-23', last: '2026-10-28' }

const RIGHT = { doubled: 0, inQuiet: 0, worn: 0, late: 0, untold: 0, needless: 0 }

const forms: [form: string, period: typeof SPRING, make: (database: Database) => Promise<unknown>][] = [
  ['in spring in America', SPRING, async () => undefined],
  ['in autumn in Europe, with months in indexes', AUTUMN, ({ months }) => months.lead()],
  ['in spring, with the functions of several nodes', SPRING, ({ distribution }) => distribution.prepare()],
]

describe.each(forms)('%s', (_form, period, make) => {
  const server = useServer()

  test('each family is told of what it is to be told, once, and not in quiet hours', async () => {
    await make(server.database)
    const told = await moveNights(server.databaseUrl, { families: 200, ...period })
    expect(told).toMatchObject(RIGHT)
    expect(told.sent).toBeGreaterThan(100)
    expect(told.withdrawn).toBeGreaterThan(5)
  })
})

describe.skipIf(!installedCitus())('on Citus', () => {
  const citus = useCitus({ workers: 2 })

  test('each family is told of what it is to be told, once, and not in quiet hours', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const told = await moveNights(url, { families: 50, ...AUTUMN })
    expect(told).toMatchObject(RIGHT)
    expect(told.sent).toBeGreaterThan(25)
    await drop()
  })
})
