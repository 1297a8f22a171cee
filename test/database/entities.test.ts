import { expect, test } from 'vitest'
import { entities } from '@companion/server/database/entities/index.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

test.each(entities.map((entity) => [entity.meta.tableName, entity] as const))(
  'the entity of %s names columns that the migrations have made',
  async (table, entity) => {
    const { rows } = await server.database.pool.query(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
      [table],
    )
    const columns = rows.map(({ name }) => name)
    const named = Object.keys(entity.meta.properties)
    expect(named).not.toEqual([])
    expect(columns).toEqual(expect.arrayContaining(named))
  },
)
