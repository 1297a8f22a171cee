import { defineEntity, p } from '@mikro-orm/postgresql'

/** Counters of `http/limits.ts`, in the columns that rate-limiter-flexible asks for. Keys hold no personal data. */
export const RateLimit = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limit',
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer().default(0),
    expire: p.bigint().nullable(),
  },
})
