import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { jsonSetting, secretSettingSchema, urlSetting } from './values.ts'

const serviceAccount = z.object({
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey, 'holds no private key'),
  private_key_id: z.string().optional(),
  token_uri: urlSetting('https:', 'http:').default('https://oauth2.googleapis.com/token'),
})

/** A Google service account that may send by Firebase Cloud Messaging. */
export type ServiceAccount = z.infer<typeof serviceAccount>

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

const bound = z.tuple([z.number(), z.number()]).refine(([least, most]) => least <= most, 'least before most')
const bounds = z
  .strictObject({ temperature: bound, humidity: bound, brightness: bound, noise: bound })
  .partial()

/** For each measure, the lowest and the highest acceptable value; an absent measure has no bounds. */
export type EnvironmentBounds = z.infer<typeof bounds>

export interface AlertConfig {
  fcm: { account: ServiceAccount; baseUrl: string } | undefined
  alimTalkUrl: string | undefined
  /** Without it, messages to `alimTalkUrl` are not signed. */
  alimTalkSecret: string | undefined
  /** A base station's reading outside these bounds alerts the parent. */
  environmentBounds: EnvironmentBounds
}

const contentOf = (text: string) => (text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8'))

/** The environment variables that configure alerts. */
export const alertVariablesSchema = z.object({
  FCM_SERVICE_ACCOUNT: jsonSetting(serviceAccount, contentOf).optional(),
  FCM_BASE_URL: urlSetting('https:', 'http:').default('https://fcm.googleapis.com'),
  ALIMTALK_WEBHOOK_URL: urlSetting('https:', 'http:').optional(),
  ALIMTALK_WEBHOOK_SECRET: secretSettingSchema.optional(),
  ENVIRONMENT_BOUNDS: jsonSetting(bounds).default({ temperature: [16, 28], humidity: [25, 75] }),
})

/** Builds the configuration of alerts from its parsed environment variables. */
export const alertConfig = (env: z.infer<typeof alertVariablesSchema>): AlertConfig => ({
  fcm: env.FCM_SERVICE_ACCOUNT && {
    account: env.FCM_SERVICE_ACCOUNT,
    baseUrl: env.FCM_BASE_URL.replace(/\/+$/, ''),
  },
  alimTalkUrl: env.ALIMTALK_WEBHOOK_URL,
  alimTalkSecret: env.ALIMTALK_WEBHOOK_SECRET,
  environmentBounds: env.ENVIRONMENT_BOUNDS,
})
