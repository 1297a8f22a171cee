import type { Pool } from 'pg'

interface Column {
  name: string
  type: string
  is_nullable: boolean
  is_identity: boolean
  is_key: boolean
  default: string | null
  /** The check constraints that mention it. */
  checks: string[]
  comment: string | null
}

const description = `
SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
  json_agg(json_build_object(
    'name', attname,
    'type', format_type(atttypid, atttypmod),
    -- A view does not say which of its columns are never null.
    'is_nullable', NOT (attnotnull OR relkind = 'v' AND attnum = 1),
    'is_identity', attidentity <> '',
    -- MikroORM asks for a key everywhere. Without one, the identity is taken, or all that is never null.
    'is_key', coalesce(attnum = ANY (conkey), CASE
      WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> '') THEN attidentity <> ''
      ELSE attnotnull OR relkind = 'v' AND attnum = 1 END),
    'default', pg_get_expr(adbin, adrelid),
    'checks', ARRAY(
      SELECT pg_get_constraintdef(oid, true) FROM pg_constraint
      WHERE conrelid = c.oid AND contype = 'c' AND attnum = ANY (conkey)
    ),
    'comment', col_description(c.oid, attnum)
  ) ORDER BY attnum) AS columns
FROM pg_class c
  JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
  LEFT JOIN pg_constraint key ON key.conrelid = c.oid AND key.contype = 'p'
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition
  AND relname NOT IN ('migration', 'applied_function')
GROUP BY c.oid ORDER BY relname COLLATE "C"`

const properties: Readonly<Record<string, string>> = {
  bigint: 'bigint()',
  boolean: 'boolean()',
  bytea: 'blob()',
  date: 'date()',
  'double precision': 'double()',
  integer: 'integer()',
  numeric: `string().columnType('numeric')`,
  smallint: 'smallint()',
  text: 'text()',
  uuid: 'uuid()',
  xid8: `string().columnType('xid8')`,
}

const quoted = (text: string) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

/** The only texts that a column may hold, if a check names them, each time or in each case of a `CASE`. */
function valuesOf({ name, checks }: Column): string[] {
  const list = String.raw`${name} = ANY \(ARRAY\[[^\]]*\]\)`
  const whole = new RegExp(
    String.raw`^CHECK \(\s*(?:${list}|CASE(?:\s+WHEN .* THEN ${list})+\s+ELSE ${list}\s+END)\)$`,
  )
  const lists = checks.find((check) => whole.test(check))?.match(new RegExp(list, 'g')) ?? []
  return lists.flatMap((each) => [...each.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value))
}

function propertyOf(table: string, column: Column): string {
  const { name, type } = column
  const [, letters] = /^character varying\((\d+)\)$/.exec(type) ?? []
  const values = valuesOf(column)
  if (values.length > 0) return `enum([${values.map(quoted).join(', ')}])`
  if (letters !== undefined) return `string().length(${letters})`
  if (type === 'jsonb') return `json<JsonColumns['${table}.${name}']>()`
  if (type.endsWith('[]')) return `array().columnType('${type}')`
  if (type.startsWith('timestamp')) {
    const [precision = ''] = /\(\d\)/.exec(type) ?? []
    return `datetime().columnType('timestamp${type.includes('without') ? '' : 'tz'}${precision}')`
  }
  const property = properties[type]
  if (property === undefined)
    throw new Error(
      `${table}.${name} is of the type ${type}: say in server/entities-text.ts which property of MikroORM it is`,
    )
  return property
}

function columnText(table: string, column: Column): string {
  const { name, type, is_nullable, is_identity, is_key, comment } = column
  const text = [
    `p.${propertyOf(table, column)}`,
    is_key && 'primary()',
    is_identity && 'autoincrement()',
    // MikroORM takes every other number that is a key for an identity.
    is_key && !is_identity && /int/.test(type) && 'autoincrement(false)',
    is_nullable && 'nullable()',
    column.default !== null && `defaultRaw(${quoted(column.default)})`,
  ]
  return `${comment === null ? '' : `    /** ${comment} */\n`}    ${name}: ${text.filter(Boolean).join('.')},\n`
}

/**
 * The entities of the tables and views of a migrated database, in TypeScript. A column's check against a list of texts
 * becomes a union; `json-columns.ts` says what a `jsonb` column holds.
 */
export async function entitiesText(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; comment: string | null; columns: Column[] }>(description)
  const entities = rows.map((table) => ({
    ...table,
    entity: table.name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))
  return `import { defineEntity, p } from '@mikro-orm/postgresql'
import type { JsonColumns } from './json-columns.ts'

/* The tables and views that the migrations make. \`pnpm generate\` writes this file; comments come from COMMENT ON. */
${entities
  .map(
    ({ entity, name, comment, columns }) => `
${comment === null ? '' : `/** ${comment} */\n`}export const ${entity} = defineEntity({
  name: '${entity}',
  tableName: '${name}',
  properties: {
${columns.map((column) => columnText(name, column)).join('')}  },
})
`,
  )
  .join('')}
export const entities = [
${entities.map(({ entity }) => `  ${entity},\n`).join('')}] as const
`
}
