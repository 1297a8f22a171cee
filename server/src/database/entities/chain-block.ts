import { defineEntity, p } from '@mikro-orm/postgresql'

/** A closed block of the trail or of the security record; see `trail/chain.ts`. */
export const ChainBlock = defineEntity({
  name: 'ChainBlock',
  tableName: 'chain_block',
  properties: {
    record: p.text().primary(),
    number: p.bigint().primary().autoincrement(false),
    /** That of all its rows, in the trail. */
    month: p.string().columnType('date').nullable(),
    rows: p.integer(),
    closed_at: p.datetime(3).columnType('timestamptz(3)'),
    hash: p.blob(),
  },
})
