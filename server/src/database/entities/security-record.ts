import { defineEntity, p } from '@mikro-orm/postgresql'

/** One thing that happened to an account: who, what, when, from where. Append-only by triggers; see `auth/security-record.ts`. */
export const SecurityRecord = defineEntity({
  name: 'SecurityRecord',
  tableName: 'security_record',
  properties: {
    id: p.bigint().primary().autoincrement(),
    recorded_at: p.datetime(3).columnType('timestamptz(3)'),
    root_user_id: p.integer().nullable(),
    action: p.text(),
    /** Why it was refused, or what changed. Never a secret. */
    reason: p.text().nullable(),
    /** Erased with the account. */
    address: p.text().nullable(),
    /** Of the client whose refusals it counts, keyed, as long as it counts; null where the address is not encrypted. */
    address_hash: p.blob().nullable(),
    request_id: p.text().nullable(),
    /** How often it happened within `minute`, which only rows have that count. */
    times: p.integer().default(1),
    minute: p.datetime().columnType('timestamptz').nullable(),
    /** Of the phone number that it is about, keyed. Erased with the address. */
    phone_hash: p.blob().nullable(),
    /** Which operator did it, and which other one agreed. */
    operator: p.text().nullable(),
    approved_by: p.text().nullable(),
    /** These are its place in the chain; see `trail/chain.ts`. */
    block: p.bigint().nullable(),
    place: p.integer().nullable(),
    personal_salt: p.blob().nullable(),
    personal_hash: p.blob().nullable(),
    row_hash: p.blob().nullable(),
  },
})
