import { defineEntity, p } from '@mikro-orm/postgresql'

/** The newest verification code of a phone number; number and code are kept as keyed hashes. */
export const SmsCode = defineEntity({
  name: 'SmsCode',
  tableName: 'sms_code',
  properties: {
    phone_hash: p.blob().primary(),
    code_hash: p.blob(),
    tries: p.smallint().default(0),
    expires_at: p.datetime().columnType('timestamptz'),
    /** Which of the codes sent to its country it is; null where none are counted. */
    sent_code_id: p.bigint().nullable(),
  },
})
