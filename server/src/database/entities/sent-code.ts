import { defineEntity, p } from '@mikro-orm/postgresql'

/** A code that was sent by SMS: to which country, and whether it was entered. Nothing says to whom. */
export const SentCode = defineEntity({
  name: 'SentCode',
  tableName: 'sent_code',
  properties: {
    id: p.bigint().primary().autoincrement(),
    country: p.text(),
    sent_at: p.datetime().columnType('timestamptz'),
    is_entered: p.boolean().default(false),
  },
})
