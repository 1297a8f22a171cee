import { defineEntity, p } from '@mikro-orm/postgresql'

/** An account holder. After deletion the row stays, emptied, until its tombstone ends (see the users room). */
export const RootUser = defineEntity({
  name: 'RootUser',
  tableName: 'root_user',
  properties: {
    id: p.integer().primary().autoincrement(),
    uuid: p.uuid().defaultRaw('gen_random_uuid()'),
    email: p.text().nullable(),
    /** Keyed hash of the address in lower case, by which it is looked up. */
    email_hash: p.blob().nullable(),
    password_hash: p.text().nullable(),
    password_changed_at: p.datetime().columnType('timestamptz').nullable(),
    first_name: p.text(),
    last_name: p.text(),
    birthdate: p.text(),
    gender: p.text(),
    phone: p.text().nullable(),
    /** Keyed hash, by which it is looked up. */
    phone_hash: p.blob().nullable(),
    is_phone_number_checked: p.boolean(),
    is_signup_completed: p.boolean(),
    register_type: p.text(),
    national_code: p.text(),
    need_personal_info_update: p.boolean().default(false),
    /** The version of each text that is consented to now; the ledger is `consent`. */
    given_versions: p.json<Partial<Record<string, string>>>().defaultRaw("'{}'"),
    is_device_muted: p.boolean().default(false),
    is_device_alim_talk_enabled: p.boolean().default(false),
    is_basestation_alert_enabled: p.boolean().default(false),
    is_child_named_in_alerts: p.boolean().default(false),
    /** Raised when every access token issued before must die. */
    token_epoch: p.integer().default(0),
    blocked_at: p.datetime().columnType('timestamptz').nullable(),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    /** Keyed hashes, all that is left of a deleted account's e-mail, phone and social identity. */
    deleted_email_hash: p.blob().nullable(),
    deleted_phone_hash: p.blob().nullable(),
    deleted_identity_hash: p.blob().nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})
