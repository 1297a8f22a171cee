import { expect, test } from 'vitest'
import { moveNights } from '../support/moved-nights.ts'
import { useServer } from '../support/server.ts'

/* Some families in twelve zones, around both changes of the clock; `pnpm exec node test/bench/year-of-nights.ts` has more, for a year. */

const server = useServer()

test.each([
  ['spring in America', '2026-03-06', '2026-03-11'],
  ['autumn in Europe', '2026-10-23', '2026-10-28'],
])(
  'of 200 families around the change of %s each is told of what it is to be told, once, and not in quiet hours',
  async (_, first, last) => {
    const { sent, withdrawn, ...wrong } = await moveNights(server.databaseUrl, { families: 200, first, last })
    expect(wrong).toEqual({ doubled: 0, inQuiet: 0, worn: 0, late: 0, untold: 0, needless: 0 })
    expect(sent).toBeGreaterThan(100)
    expect(withdrawn).toBeGreaterThan(5)
  },
)
