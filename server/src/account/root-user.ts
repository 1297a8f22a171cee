import { z } from 'zod'
import { genderSchema } from '../children/real-user.ts'
import { clockTimeField } from '../http/fields.ts'
import { consentKindSchema, consentVersionSchema } from './consent-entry.ts'

/** The account holder in the format of the contract. */
export const accountHolderSchema = z
  .object({
    root_user_id: z.int(),
    first_name: z.string(),
    last_name: z.string(),
    birthdate: z.string().meta({ description: '`yyyymmdd`', examples: ['19880412'] }),
    gender: genderSchema,
    phone: z.string().meta({ description: 'E.164' }),
    is_phone_number_checked: z.boolean().meta({ description: 'A code sent to the phone was entered' }),
    email: z.string().nullable().meta({
      description: 'The e-mail address; null after its reader has said that it is not theirs',
    }),
    is_email_confirmed: z.boolean().meta({
      description: 'The holder has shown that they read the mail of the account’s address',
    }),
    register_type: z.enum(['E', 'S', 'P']).meta({
      description: '`E`: by e-mail, `S`: by a social provider, `P`: by a passkey, as clinicians do',
    }),
    national_code: z.string().meta({ description: 'ISO 3166-1 alpha-2' }),
    need_personal_info_update: z.boolean().meta({
      description:
        'The profile was imported and not changed since, the account has no address, or a consent in force is not given',
    }),
    missing_consents: z
      .array(
        z.object({
          kind: consentKindSchema.meta({ description: 'What the text is about' }),
          version: consentVersionSchema.meta({ description: 'Of the text' }),
        }),
      )
      .optional()
      .meta({
        description:
          'The texts in force that are not consented to, with their versions; absent when there are none',
      }),
    need_to_pwd_change: z
      .boolean()
      .meta({ description: 'Three calendar months have passed since the last change of the password' }),
    is_device_muted: z.boolean().meta({ description: 'No alerts of devices at all' }),
    is_device_alim_talk_enabled: z.boolean().meta({
      description: 'A message in the messaging app, besides the push message, when electrodes lose contact',
    }),
    is_basestation_alert_enabled: z.boolean().meta({
      description: 'A push message when the air, light or noise around a base station leaves its bounds',
    }),
    time_zone: z.string().meta({
      description: 'Where the account lives, an IANA name: times of day in responses are those of this zone',
      examples: ['Asia/Seoul'],
    }),
    language: z
      .enum(['KR', 'EN'])
      .nullable()
      .meta({ description: 'Of mails and alerts, Korean or English; null: that of the country' }),
    is_child_named_in_alerts: z.boolean().meta({
      description: 'Messages about a child name it; others may read them on the screen of the phone',
    }),
    is_bedtime_reminded: z.boolean().meta({
      description:
        'A push message at the bedtime of a plan, while no use has begun since noon; none in quiet hours',
    }),
    is_missing_night_told: z.boolean().meta({
      description:
        'A push message on the day after a night of which nothing has arrived: the first and the second in a row, then each seventh',
    }),
    missing_night_at: clockTimeField.meta({
      description: 'When that message is sent, on the clock of `time_zone`',
      examples: ['10:00'],
    }),
    quiet_from: clockTimeField.nullable().meta({
      description:
        'When quiet hours begin, on the clock of `time_zone`; null, or the same as `quiet_to`: there are none',
      examples: ['22:00'],
    }),
    quiet_to: clockTimeField.nullable().meta({ description: 'When they end', examples: ['07:00'] }),
  })
  .meta({ id: 'Account', description: 'The account holder (root user)' })
