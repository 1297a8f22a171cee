import { z } from 'zod'
import { ACCOUNT_STATE, assertActive, tokenEndpoint } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { gender } from './real-user.ts'

export const me = z.object({
  root_user_id: z.int(),
  first_name: z.string(),
  last_name: z.string(),
  birthdate: z.string().meta({ description: '`yyyymmdd`' }),
  gender,
  phone: z.string().meta({ description: 'E.164' }),
  is_phone_number_checked: z.boolean().meta({ description: 'Verified by SMS' }),
  register_type: z.enum(['E', 'S']).meta({ description: '`E`: by e-mail, `S`: by a social provider' }),
  national_code: z.string().meta({ description: 'ISO 3166-1 alpha-2' }),
  need_personal_info_update: z.boolean().meta({ description: 'The profile lacks something' }),
  need_to_pwd_change: z
    .boolean()
    .meta({ description: 'Three calendar months have passed since the last change.' }),
  is_device_muted: z.boolean().meta({ description: 'No alerts of devices' }),
  is_device_alim_talk_enabled: z
    .boolean()
    .meta({ description: 'A message in the messaging app when electrodes lose contact' }),
  is_basestation_alert_enabled: z
    .boolean()
    .meta({ description: 'A push message when a base station measures something unusual' }),
})

const selectMe = shortRead<z.infer<typeof me> & AccountState>(
  'me',
  ['int', 'float8'],
  `SELECT u.id AS root_user_id, u.first_name, u.last_name, u.birthdate, u.gender, u.phone, u.is_phone_number_checked,
     u.register_type, u.national_code, u.need_personal_info_update,
     u.register_type = 'E' AND u.password_changed_at <= to_timestamp($2) - interval '3 months' AS need_to_pwd_change,
     u.is_device_muted, u.is_device_alim_talk_enabled, u.is_basestation_alert_enabled, ${ACCOUNT_STATE}
   FROM root_user u WHERE u.id = $1`,
)

export const readMe = tokenEndpoint(
  { method: 'GET', path: '/api/v1/beta/user/me', summary: 'The signed-in account' },
  [],
)
  .input(z.object({}))
  .output(me)
  .query(async ({ ctx: { database, caller } }) => {
    const [account] = await database.query(selectMe, [caller.rootUserId, Date.now() / 1000])
    return assertActive(account, caller)
  })
