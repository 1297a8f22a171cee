import type { RunNamedStatement } from '../../database/statement.ts'
import { rowsOf } from './family-table.ts'
import type { Family } from './family-table.ts'
import { familyTables, tablesNotExported } from './family-tables.ts'
import type { AddFile } from './zip-file.ts'

/** Exports a family as a JSON file for each table, with a dictionary that says what each field means. */
export async function exportAsJson(
  query: RunNamedStatement,
  family: Family & { isWhole: boolean },
  add: AddFile,
): Promise<void> {
  const chosen = Object.entries(familyTables).filter(([, { isOfAccount }]) => family.isWhole || !isOfAccount)
  for (const [name, table] of chosen) await add(`${name}.json`, listOf(rowsOf<object>(query, table, family)))
  const files = chosen.map(([name, { about, fields }]) => {
    const described = Object.entries(fields).map(([field, [type, meaning]]) => [field, { type, meaning }])
    return [`${name}.json`, { about, fields: Object.fromEntries(described) }]
  })
  const dictionary = {
    about:
      'What the files of this export mean. Each is an array of rows. An instant is in UTC; a wall clock is what a device showed, without a time zone.',
    files: Object.fromEntries(files),
    left_out: tablesNotExported,
  }
  await add('dictionary.json', [`${JSON.stringify(dictionary, undefined, 2)}\n`])
}

/** An array of all rows, one a line. */
async function* listOf(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const rows of pages) {
    yield separator + rows.map((row) => JSON.stringify(row)).join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
