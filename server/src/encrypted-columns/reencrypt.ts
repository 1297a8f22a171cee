import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { keyIdOf, ciphertextPrefix, UnreadableValue } from '../encryption/key-ring.ts'
import type { BlindIndexKind, KeyRing } from '../encryption/key-ring.ts'
import type { Database, Sql } from '../database/database.ts'
import { encryptedTables, encryptedColumnName } from './encrypted-tables.ts'
import { ENCRYPTION_PROPAGATION_MS } from '../database/encryption.ts'
import { pageCount, tableBatches } from '../database/batches.ts'
import type { Batch } from '../database/batches.ts'

/** How long rows are left to those who hold them. */
const REST_MS = 1000
/** Passes while new unencrypted values appear. After that, a process must still be writing them. */
const MOST_PASSES = 5

interface Reencrypted {
  /** How many values were encrypted. */
  values: number
  /** How many values no key opens, by `table.column`. They stay as they are. */
  unreadable: Record<string, number>
  /** The keys that another process goes on encrypting with, `null` for none. If there are any, values with them are left. */
  stillUsed: (string | null)[]
}

/**
 * Encrypts all personal columns with the first key of `DATA_KEYS`: what is not encrypted yet, and what another key has
 * encrypted. The service goes on. A run that was interrupted is taken up by the next one, because each value names its
 * key. Tells `report` how many values are done, and about which share that is. It ends before the last value if others go on
 * writing values with another key. If every value could be read and is done, the database needs no other key afterwards.
 */
export async function reencrypt(
  database: Database,
  report: (values: number, share: number) => void = () => undefined,
): Promise<Reencrypted> {
  const hasBegun = await database.encryption.check()
  const tables: Table[] = []
  for (const [name, shape] of Object.entries(encryptedTables))
    for (const relation of await relationsOf(database.sql, name))
      tables.push(describeTable(name, relation, shape, database.keyRing))
  if (!hasBegun) {
    // Before anything is encrypted, so that what is looked up stays unique.
    for (const table of tables) await fillIndexes(database, table)
    await database.encryption.begin()
    await pause(ENCRYPTION_PROPAGATION_MS)
  }
  const done: Reencrypted = { values: 0, unreadable: {}, stillUsed: [] }
  let left = tables
  for (let passes = 0; left.length > 0;) {
    const replaced = new Set<string | null>()
    const next: Table[] = []
    const sized: { table: Table; pages: number }[] = []
    for (const table of left) sized.push({ table, pages: 1 + (await pageCount(database.sql, table.name)) })
    const all = sized.reduce((sum, { pages }) => sum + pages, 0)
    let before = 0
    for (const { table, pages } of sized) {
      const unreadable: string[] = []
      for await (const batch of tableBatches(database.sql, table.name, table.isPending)) {
        const found = { unreadable, replaced }
        done.values += await database.transaction((tx) => reencryptRows(tx, table, batch, found))
        report(done.values, (before + batch.share * pages) / all)
      }
      before += pages
      for (const place of unreadable) done.unreadable[place] = (done.unreadable[place] ?? 0) + 1
      if (unreadable.length === 0) next.push(table)
    }
    // After all of them: meanwhile somebody may have written to the first.
    left = []
    for (const table of next) if (await hasRows(database.sql, table.name, table.isPending)) left.push(table)
    if (left.length === 0) break
    // Otherwise somebody holds what is left.
    if (replaced.size > 0) passes += 1
    if (passes === MOST_PASSES) return { ...done, stillUsed: [...replaced] }
    await pause(REST_MS)
  }
  if (Object.keys(done.unreadable).length === 0)
    await database.sql.deleteFrom('data_key').where('id', '<>', database.keyRing.current).execute()
  return done
}

/** Gives the rows of an older version their keyed hashes. */
async function fillIndexes(database: Database, table: Table): Promise<void> {
  for (let isLeft = await hasRows(database.sql, table.name, table.lacksHash); isLeft;) {
    for await (const batch of tableBatches(database.sql, table.name, table.lacksHash))
      await database.transaction((tx) => reencryptRows(tx, table, batch))
    isLeft = await hasRows(database.sql, table.name, table.lacksHash)
    if (isLeft) await pause(REST_MS)
  }
}

/** Where the rows of a table are: in itself, or in its partitions. */
async function relationsOf(connection: Sql, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT relid::text AS name FROM pg_partition_tree(${table}::regclass) WHERE isleaf
    UNION SELECT ${table} WHERE NOT EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = ${table}::regclass)
    ORDER BY 1`.execute(connection)
  return rows.map(({ name }) => name)
}

interface Table {
  /** Of its values. */
  place: string
  /** The table, or one of its partitions. */
  name: string
  /** With what a JSON column holds when there is nothing to encrypt, in SQL. */
  columns: { name: string; emptyJson: string | undefined }[]
  /** The columns of keyed hashes, with what they are of. */
  indexes: { name: string; of: BlindIndexKind; unless: RawBuilder<boolean> }[]
  keyRing: KeyRing
  /** Of rows that lack a keyed hash. */
  lacksHash: RawBuilder<unknown>
  /** Of rows with a value that another key has encrypted, or none. */
  isPending: RawBuilder<unknown>
}

function describeTable(
  place: string,
  name: string,
  {
    columns,
    indexes = {},
    unindexed = 'false',
    unless,
  }: {
    columns: Record<string, 'text' | { json: string }>
    indexes?: Record<string, BlindIndexKind>
    unindexed?: string
    unless?: string
  },
  keyRing: KeyRing,
): Table {
  const prefix = ciphertextPrefix(keyRing.current)
  const pending = Object.entries(columns).map(([column, type]) =>
    type === 'text'
      ? sql`(${sql.ref(column)} <> '' AND NOT starts_with(${sql.ref(column)}, ${prefix}))`
      : sql`(${sql.ref(column)} <> ${sql.raw(type.json)} AND NOT starts_with(${sql.ref(column)} #>> '{}', ${prefix}))`,
  )
  const hashes = Object.entries(indexes).map(([column, of]) => ({
    name: column,
    of,
    unless: sql.raw<boolean>(of === 'email' ? unindexed : 'false'),
  }))
  const missing = hashes.map(
    (each) => sql`(${sql.ref(each.name)} IS NULL AND ${sql.ref(each.of)} IS NOT NULL AND NOT ${each.unless})`,
  )
  const lacksHash = missing.length === 0 ? sql`false` : sql`(${sql.join(missing, sql` OR `)})`
  const exempt = unless === undefined ? sql`false` : sql.raw(unless)
  return {
    place,
    name,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      emptyJson: type === 'text' ? undefined : type.json,
    })),
    keyRing,
    indexes: hashes,
    lacksHash,
    isPending: sql`((${sql.join(pending, sql` OR `)}) AND NOT (${exempt}) OR ${lacksHash})`,
  }
}

async function hasRows(connection: Sql, name: string, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM ${sql.table(name)} WHERE ${condition} LIMIT 1`.execute(connection)
  return rows.length > 0
}

interface Found {
  unreadable: string[]
  replaced: Set<string | null>
}

/**
 * Encrypts those of some rows that nobody holds: who waits for nobody cannot deadlock. Resolves to how many values
 * were encrypted; adds to `unreadable` the columns of those that no key opens, and to `replaced` the keys of the others.
 */
async function reencryptRows(
  tx: Sql,
  { place: table, name, columns, indexes, keyRing, isPending }: Table,
  { rows: batch, keys }: Batch,
  { unreadable, replaced }: Found = { unreadable: [], replaced: new Set() },
): Promise<number> {
  const stored = columns.map(({ name: column, emptyJson }) =>
    emptyJson === undefined
      ? sql.ref(column)
      : sql`nullif(${sql.ref(column)}, ${sql.raw(emptyJson)}) #>> '{}' AS ${sql.ref(column)}`,
  )
  const told = keys.map(({ name, type }, n) => ({ name: `key_${n}`, of: name, type }))
  const { rows } = await sql<Record<string, string | null>>`
    SELECT ${sql.join([...told.map((key) => sql`${sql.ref(key.of)}::text AS ${sql.ref(key.name)}`), ...stored])}
    FROM ${sql.table(name)} WHERE ${batch} AND ${isPending}
    FOR NO KEY UPDATE SKIP LOCKED`.execute(tx)
  if (rows.length === 0) return 0
  let values = 0
  const fresh = columns.map(({ name: column, emptyJson }) =>
    rows.map((row) => {
      const value = row[column]
      if (!value || keyIdOf(value) === keyRing.current) return null
      const place = encryptedColumnName(table, column)
      try {
        const text = keyRing.decrypt(place, value)
        values += 1
        replaced.add(keyIdOf(value) ?? null)
        const sealed = keyRing.encrypt(place, text)
        return emptyJson === undefined ? sealed : JSON.stringify(sealed)
      } catch (error) {
        if (!(error instanceof UnreadableValue)) throw error
        unreadable.push(`${table}.${column}`)
        return null
      }
    }),
  )
  const set = columns.map(({ name: column, emptyJson }) => {
    const value = sql.ref(`fresh.${column}`)
    const typed = emptyJson === undefined ? value : sql`${value}::jsonb`
    return sql`${sql.ref(column)} = coalesce(${typed}, ${sql.ref(`${name}.${column}`)})`
  })
  const hashes = indexes.map(({ of }) =>
    rows.map((row) => {
      try {
        return keyRing.index(of, keyRing.decrypt(encryptedColumnName(table, of), row[of] ?? null))
      } catch (error) {
        if (!(error instanceof UnreadableValue)) throw error
        return null
      }
    }),
  )
  const found = indexes.map(
    ({ name: column, unless }) =>
      sql`${sql.ref(column)} = CASE WHEN NOT ${unless} THEN coalesce(${sql.ref(`fresh.${column}`)}, ${sql.ref(`${name}.${column}`)}) END`,
  )
  // Triggers see another value, not another content.
  await sql`SELECT set_config('companion.reencrypting', 'on', true)`.execute(tx)
  const isFresh = told.map((key) => sql`${sql.ref(`${name}.${key.of}`)} = ${sql.ref(`fresh.${key.name}`)}`)
  await sql`
    UPDATE ${sql.table(name)} SET ${sql.join([...set, ...found])}
    FROM unnest(${sql.join([
      ...told.map((key) => sql`${rows.map((row) => row[key.name])}::${sql.raw(key.type)}[]`),
      ...fresh.map((values) => sql`${values}::text[]`),
      ...hashes.map((values) => sql`${values}::bytea[]`),
    ])}) AS fresh (${sql.join([...told, ...columns, ...indexes].map(({ name: column }) => sql.ref(column)))})
    WHERE ${batch} AND ${sql.join(isFresh, sql` AND `)}`.execute(tx)
  return values
}
