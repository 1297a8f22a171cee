import { defineEntity, p } from '@mikro-orm/postgresql'

/** Its only row says which changes have rung the webhooks, and which are purged. */
export const Feed = defineEntity({
  name: 'Feed',
  tableName: 'feed',
  properties: {
    is_only: p.boolean().defaultRaw('true').primary(),
    rung_xact_id: p.string().columnType('xid8'),
    purged_xact_id: p.string().columnType('xid8'),
    purged_id: p.bigint(),
  },
})
