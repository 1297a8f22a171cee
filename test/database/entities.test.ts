import { MikroORM } from '@mikro-orm/postgresql'
import { expect, test } from 'vitest'
import { entities } from '@companion/server/entities/entities.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

/** The tables of the migrator. */
const WITHOUT_ENTITY = ['migration', 'applied_function']

/** Each column of a schema as PostgreSQL describes it, except that it cannot say what may be null in a view. */
async function columns(schema: string): Promise<string[]> {
  const { rows } = await server.database.pool.query<{ line: string }>(
    `SELECT concat_ws(' ', relname || '.' || attname, format_type(atttypid, atttypmod),
       CASE WHEN attnotnull AND relname NOT IN (SELECT viewname FROM pg_views WHERE schemaname = 'public')
         THEN 'NOT NULL' END,
       CASE WHEN attidentity <> '' OR pg_get_expr(adbin, adrelid) LIKE 'nextval(%' THEN 'generated'
         ELSE 'DEFAULT ' || pg_get_expr(adbin, adrelid) END) AS line
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition
       AND relname <> ALL ($2) AND attnum > 0
       AND NOT attisdropped
     ORDER BY 1`,
    [schema, WITHOUT_ENTITY],
  )
  return rows.map(({ line }) => line)
}

test('tables and entities have the same columns, of the same types, nullability and defaults', async () => {
  const orm = await MikroORM.init({
    clientUrl: server.databaseUrl,
    entities: [...entities],
    ensureDatabase: false,
  })
  try {
    const schema = await orm.schema.getCreateSchemaSQL({ wrap: false })
    await orm.em.execute(`CREATE SCHEMA entity; SET LOCAL search_path = entity, public; ${schema}`)
  } finally {
    await orm.close()
  }
  expect(await columns('entity')).toEqual(await columns('public'))
})
