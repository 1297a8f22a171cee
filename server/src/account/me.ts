import type { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { CLINICIAN_ACCOUNT_TYPE } from '../auth/tokens/session.ts'
import { batchedRead } from '../database/batched-read.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { consentKindSchema } from './consent-entry.ts'
import { accountHolderSchema } from './root-user.ts'
import { decryptPerson } from '../encryption/person.ts'

type Found = Omit<z.infer<typeof accountHolderSchema>, 'missing_consents'> & {
  /** Null when all in force are given. */
  given_versions: Record<string, string> | null
}

/** Clinicians consent to nothing that parents are asked for. */
const IS_CLINICIAN = `u.register_type = '${CLINICIAN_ACCOUNT_TYPE}'`

const selectMe = batchedRead<Found & AccountState>(
  'me',
  ['int', 'float8', 'text', 'text'],
  `SELECT u.id AS root_user_id, u.first_name, u.last_name, u.birthdate, u.gender, coalesce(u.phone, '') AS phone, u.email, u.is_phone_number_checked,
     u.register_type, u.national_code,
     u.need_personal_info_update OR u.email IS NULL OR NOT (u.given_versions @> $3::jsonb OR ${IS_CLINICIAN}) AS need_personal_info_update,
     CASE WHEN NOT (u.given_versions @> $3::jsonb OR ${IS_CLINICIAN}) THEN u.given_versions END AS given_versions,
     u.register_type = 'E' AND u.password_changed_at <= to_timestamp($2) - interval '3 months' AS need_to_pwd_change,
     u.is_device_muted, u.is_device_alim_talk_enabled, u.is_basestation_alert_enabled,
     u.is_child_named_in_alerts, u.language, coalesce(u.time_zone, $4) AS time_zone, u.is_bedtime_reminded, u.is_missing_night_told,
     u.missing_night_at, u.quiet_from, u.quiet_to, u.email_confirmed_at IS NOT NULL AS is_email_confirmed, ${ACCOUNT_STATE}
   FROM root_user u WHERE u.id = $1`,
)

export const me = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/me',
    right: 'self',
    accounts: 'all',
    summary: 'The signed-in account',
    description:
      '`need_personal_info_update`, `missing_consents` and `need_to_pwd_change` say what the app should ask the account holder for. A clinician has no phone and no birth date: both are empty.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(accountHolderSchema)
  .query(async ({ ctx: { database, caller, consentVersions, timeZone } }) => {
    const [found] = await database.query(selectMe, [
      caller.rootUserId,
      Date.now() / 1000,
      JSON.stringify(consentVersions),
      timeZone,
    ])
    const { given_versions, ...stored } = assertActive(found, caller)
    const account = {
      ...decryptPerson(database.keyRing, 'root_user', stored),
      phone: database.keyRing.decrypt('root_user.phone', stored.phone),
      email: database.keyRing.decrypt('root_user.email', stored.email),
    }
    if (given_versions === null) return account
    const missing_consents = consentKindSchema.options.flatMap((kind) => {
      const version = consentVersions[kind]
      return version === undefined || given_versions[kind] === version ? [] : [{ kind, version }]
    })
    return { ...account, missing_consents }
  })
