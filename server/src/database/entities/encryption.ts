import { defineEntity, p } from '@mikro-orm/postgresql'

/** Whether personal columns are encrypted when they are written; one row. */
export const Encryption = defineEntity({
  name: 'Encryption',
  tableName: 'encryption',
  properties: {
    is_only: p.boolean().defaultRaw('true').primary(),
    is_on: p.boolean(),
  },
})
