import { defineEntity, p } from '@mikro-orm/postgresql'

/** The consents of an account: a view over the newest rows of `consent`. Dates are null before the first agreement. */
export const Policy = defineEntity({
  name: 'Policy',
  tableName: 'policy',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    is_push_agree: p.boolean(),
    push_agree_date: p.datetime().columnType('timestamptz').nullable(),
    is_marketing_agree: p.boolean(),
    marketing_agree_date: p.datetime().columnType('timestamptz').nullable(),
  },
})
