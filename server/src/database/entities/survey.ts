import { defineEntity, p } from '@mikro-orm/postgresql'

/** The scores of one survey about a child. Erased with the child. */
export const Survey = defineEntity({
  name: 'Survey',
  tableName: 'survey',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    attention_score: p.integer(),
    impulsivity_score: p.integer(),
    disorder_score: p.integer(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
