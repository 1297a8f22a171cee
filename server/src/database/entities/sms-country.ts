import { defineEntity, p } from '@mikro-orm/postgresql'

/** A country to which codes are sent, or no codes for a while. */
export const SmsCountry = defineEntity({
  name: 'SmsCountry',
  tableName: 'sms_country',
  properties: {
    country: p.text().primary(),
    stopped_until: p.datetime().columnType('timestamptz').nullable(),
  },
})
