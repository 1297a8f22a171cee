import { defineEntity, p } from '@mikro-orm/postgresql'

/** Who an account is at its sign-in provider: OpenID Connect promises that issuer and subject never change hands. */
export const SocialIdentity = defineEntity({
  name: 'SocialIdentity',
  tableName: 'social_identity',
  properties: {
    issuer: p.text().primary(),
    subject: p.text().primary(),
    root_user_id: p.integer(),
    /** The provider's name in the configuration, as find-account answers it. */
    provider: p.text(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
