import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/*
 * The tables that grow with the devices are named by functions of the database, so that statements of the service stay the
 * same wherever the rows lie; see docs/decisions/functions-before-tables.md. These are the files that name one all the same.
 */
const naming: Record<string, string> = {
  'demo/home.ts': 'fills the embedded database of the demo',
  'devlogs/check-devlogs.ts': 'looks through all treatments, joined to no other table',
}

const source = new URL('../../server/src/', import.meta.url).pathname
const NAMED =
  /(\b(FROM|JOIN|INTO|UPDATE)\s+|\b(selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(')(treatment|sleep_reading|reading_day|event|event_version|survey)\b(?! \$)/

test('only known statements of the service name a table that grows with the devices', () => {
  const found = globSync('**/*.ts', { cwd: source }).filter((file) =>
    NAMED.test(readFileSync(source + file, 'utf8')),
  )
  expect(found.toSorted()).toEqual(Object.keys(naming))
})
