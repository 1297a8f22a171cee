import { z } from 'zod'
import { secretSettingSchema, urlSetting, integerSetting } from './values.ts'

/** The providers that deliver messages, and the limits on SMS. */
export interface DeliveryConfig {
  smsProvider:
    | { name: 'outbox' }
    | { name: 'twilio'; accountSid: string; authToken: string; from: string; baseUrl: string }
    | { name: 'webhook'; url: string; secret: string }
  /** ISO 3166-1 alpha-2 codes of the countries whose numbers may receive SMS; undefined allows all. */
  smsCountries: readonly string[] | undefined
  /** The maximum number of SMS that the whole service sends in 24 hours. */
  smsDailyCap: number | undefined
  /** The 11 characters in an SMS by which Android passes the code to the app (SMS Retriever). */
  smsAppHash: string | undefined
  /** Without it, mail goes to the outbox. */
  smtp: { url: string; from: string } | undefined
}

const required = z.string('is missing')

const smsProvider = z.discriminatedUnion(
  'SMS_PROVIDER',
  [
    z.object({ SMS_PROVIDER: z.literal('outbox') }),
    z.object({
      SMS_PROVIDER: z.literal('twilio'),
      TWILIO_ACCOUNT_SID: required,
      TWILIO_AUTH_TOKEN: required,
      TWILIO_FROM: required,
      TWILIO_BASE_URL: urlSetting('https:', 'http:').default('https://api.twilio.com'),
    }),
    z.object({
      SMS_PROVIDER: z.literal('webhook'),
      SMS_WEBHOOK_URL: urlSetting('https:', 'http:'),
      SMS_WEBHOOK_SECRET: secretSettingSchema,
    }),
  ],
  { error: 'must be outbox, twilio or webhook' },
)

/** A bound that is undefined where it is left out, or where `word` says that there is none. */
const boundOr = <Bound extends z.ZodType<unknown, string>>(word: string, bound: Bound) =>
  z
    .string()
    .optional()
    .transform((text) => (text === word ? undefined : text))
    .pipe(bound.optional())

/** What nodemailer would read of the query, as far as it serves; it passes over any other parameter. */
const mailParameters = [
  'requireTLS',
  'ignoreTLS',
  'name',
  'authMethod',
  'tls.servername',
  'tls.minVersion',
  'tls.rejectUnauthorized',
]

function checkMailParameters(text: string, issues: z.RefinementCtx<string>): void {
  for (const name of URL.parse(text)?.searchParams.keys() ?? [])
    if (!mailParameters.includes(name))
      issues.addIssue(`the parameter ${name} is not supported; ${mailParameters.join(', ')} are`)
}

const rest = z.object({
  SMS_COUNTRIES: boundOr(
    'all',
    z
      .string()
      .transform((list) => list.split(',').map((code) => code.trim()))
      .pipe(z.array(z.string().regex(/^[A-Z]{2}$/, 'must be all or a list of country codes such as KR,US'))),
  ),
  SMS_DAILY_CAP: boundOr('none', integerSetting(1, 100_000_000)),
  SMS_APP_HASH: z
    .string()
    .regex(/^[\w+/]{11}$/, 'must be the 11 characters that Android derives from the app')
    .optional(),
  SMTP_URL: urlSetting('smtp:', 'smtps:').superRefine(checkMailParameters).optional(),
  MAIL_FROM: z.string().includes('@', 'must be a mail address').optional(),
})

/** Their names. */
export const deliveryVariables = [
  ...Object.keys(rest.shape),
  ...smsProvider.options.flatMap(({ shape }) => Object.keys(shape)),
]

/** Parses the environment variables of delivery; the issues name every issue. */
export const deliveryConfigSchema = z
  .object({ SMS_PROVIDER: z.string().default('outbox') })
  .loose()
  .pipe(z.intersection(smsProvider, rest))
  .transform((env): DeliveryConfig => ({
    smsProvider: smsProviderOf(env),
    smsCountries: env.SMS_COUNTRIES,
    smsDailyCap: env.SMS_DAILY_CAP,
    smsAppHash: env.SMS_APP_HASH,
    smtp: env.SMTP_URL === undefined ? undefined : { url: env.SMTP_URL, from: env.MAIL_FROM ?? '' },
  }))

function smsProviderOf(env: z.infer<typeof smsProvider>): DeliveryConfig['smsProvider'] {
  if (env.SMS_PROVIDER === 'outbox') return { name: 'outbox' }
  if (env.SMS_PROVIDER === 'webhook') {
    return { name: 'webhook', url: env.SMS_WEBHOOK_URL, secret: env.SMS_WEBHOOK_SECRET }
  }
  return {
    name: 'twilio',
    accountSid: env.TWILIO_ACCOUNT_SID,
    authToken: env.TWILIO_AUTH_TOKEN,
    from: env.TWILIO_FROM,
    baseUrl: env.TWILIO_BASE_URL.replace(/\/+$/, ''),
  }
}

/** Lists the conflicts between variables that are valid separately. */
export function findDeliverySettingIssues(
  given: Record<string, string | undefined>,
  isProduction: boolean,
): string[] {
  const issues: string[] = []
  const hasSms = (given['SMS_PROVIDER'] ?? 'outbox') !== 'outbox'
  if (given['SMTP_URL'] && !given['MAIL_FROM']) issues.push('MAIL_FROM: is required with SMTP_URL')
  // Otherwise a caller with a forged Host header would decide where a parent's link leads.
  if ((given['SMTP_URL'] || hasSms || isProduction) && !given['PUBLIC_URL']) {
    issues.push('PUBLIC_URL: is required when messages leave the service')
  }
  if (!isProduction) return issues
  const reason = 'the outbox keeps codes and links in a readable file and is refused when NODE_ENV=production'
  if (!hasSms) issues.push(`SMS_PROVIDER: ${reason}`)
  if (!given['SMTP_URL']) issues.push(`SMTP_URL: is missing; ${reason}`)
  // Codes cost money, and anybody may ask for them.
  if (!given['SMS_COUNTRIES']) {
    issues.push('SMS_COUNTRIES: is required when NODE_ENV=production; say all to serve every country')
  }
  if (!given['SMS_DAILY_CAP']) {
    issues.push('SMS_DAILY_CAP: is required when NODE_ENV=production; say none to set no cap')
  }
  return issues
}
