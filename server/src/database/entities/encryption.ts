import { defineEntity, p } from '@mikro-orm/postgresql'

/** Whether personal columns are encrypted when they are written; one row. */
export const Encryption = defineEntity({
  name: 'Encryption',
  tableName: 'encryption',
  properties: {
    is_only: p.boolean().defaultRaw('true').primary(),
    is_on: p.boolean(),
    is_on_for_addresses: p.boolean().default(false),
    /** A keyed hash of a constant, which tells whether the secret of the hashes is still the same. */
    index_proof: p.blob().nullable(),
  },
})
