import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

/*
 * Where a local time lies on the line of time, around each change of a year, by the C library's own reader of time zones: `zdump`
 * tells the seconds before and after each change.
 */

const server = useServer()

const ZONES =
  `America/New_York America/Los_Angeles America/St_Johns America/Havana America/Santiago America/Sao_Paulo
  America/Asuncion Europe/London Europe/Berlin Europe/Lisbon Europe/Moscow Africa/Cairo Africa/Casablanca Asia/Seoul Asia/Kolkata
  Asia/Beirut Asia/Jerusalem Australia/Sydney Australia/Lord_Howe Pacific/Auckland Pacific/Chatham Atlantic/Azores`.split(
    /\s+/,
  )
const YEAR = 2026
const MINUTE = 60_000

const hasZdump = spawnSync('zdump', ['UTC']).status === 0
const skipped = !hasZdump && process.env['CI'] !== 'true'
const why = skipped ? ' (skipped: no zdump; install libc-bin)' : ''

interface Change {
  at: number
  /** What clocks are ahead of UTC, in milliseconds. */
  before: number
  after: number
}

/** The changes of a zone in the year. */
function changesOf(zone: string): Change[] {
  const { stdout } = spawnSync('zdump', ['-v', '-c', `${YEAR},${YEAR + 1}`, zone], { encoding: 'utf8' })
  const lines = stdout.split('\n').flatMap((line) => {
    const [, utc, offset] = /\s(\w{3} \w{3} +\d+ [\d:]+ \d{4}) UTC? = .* gmtoff=(-?\d+)/.exec(line) ?? []
    return utc === undefined ? [] : [{ at: Date.parse(`${utc} UTC`), offset: 1000 * Number(offset) }]
  })
  return lines.flatMap(({ at, offset }, n) => {
    const last = lines[n - 1]
    return last && at - last.at === 1000 && last.offset !== offset
      ? [{ at, before: last.offset, after: offset }]
      : []
  })
}

/** The first moment at or after which clocks show `local`, given the change around it. */
function momentOf(local: number, { at, before, after }: Change): number {
  if (local - before < at) return local - before
  return Math.max(at, local - after)
}

describe(`local times around changes of clocks${why}`, () => {
  test.skipIf(skipped).each(ZONES)('%s', async (zone) => {
    const changes = changesOf(zone)
    for (const change of changes) {
      const around = Array.from({ length: 8 * 60 }, (_, n) => {
        const shown = change.at + Math.min(change.before, change.after) + (n - 4 * 60) * MINUTE
        return { local: new Date(shown).toISOString().slice(0, 16), expected: momentOf(shown, change) }
      })
      const { rows } = await server.database.pool.query(
        `SELECT (extract(epoch FROM moment_of(local, $1)) * 1000)::float8 AS moment FROM unnest($2::timestamp[]) local`,
        [zone, around.map(({ local }) => local)],
      )
      expect(rows.map(({ moment }, n) => [around[n]?.local, moment])).toEqual(
        around.map(({ local, expected }) => [local, expected]),
      )
    }
  })

  test.skipIf(skipped)('both changes of the year are among them', () => {
    const counts = ZONES.map((zone) => changesOf(zone).length)
    expect(counts.filter((count) => count >= 2).length).toBeGreaterThanOrEqual(13)
    expect(ZONES.length).toBeGreaterThanOrEqual(20)
  })
})

test('a date that a zone has left out begins the next one', async () => {
  const { rows } = await server.database.pool.query(
    `SELECT moment_of('2011-12-30 10:00', 'Pacific/Apia') = timestamptz '2011-12-30T10:00:00Z' AS is_next`,
  )
  expect(rows).toEqual([{ is_next: true }])
})
