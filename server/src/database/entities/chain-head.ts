import { defineEntity, p } from '@mikro-orm/postgresql'

/** Where the chain of the trail or of the security record begins and ends; see `trail/chain.ts`. */
export const ChainHead = defineEntity({
  name: 'ChainHead',
  tableName: 'chain_head',
  properties: {
    record: p.text().primary(),
    first_block: p.bigint(),
    last_block: p.bigint(),
    /** Rows of earlier months are purged. */
    kept_since: p.string().columnType('date').nullable(),
    hash: p.blob().nullable(),
  },
})
