import { defineEntity, p } from '@mikro-orm/postgresql'

/** An item of a lenient upload that could not be stored, as JSON text, kept for the operator. */
export const RejectedDevlog = defineEntity({
  name: 'RejectedDevlog',
  tableName: 'rejected_devlog',
  properties: {
    id: p.bigint().primary().autoincrement(),
    content_hash: p.blob(),
    content: p.text(),
    /** The child who wore the device when the item arrived; null for nobody. */
    real_user_id: p.integer().nullable(),
    reason: p.text(),
    /** Erased in time. */
    address: p.text().nullable(),
    received_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
