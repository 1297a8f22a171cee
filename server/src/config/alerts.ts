import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { plainWords } from './plain-words.ts'
import { url } from './values.ts'

const serviceAccount = z.object({
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey, 'holds no private key'),
  private_key_id: z.string().optional(),
  token_uri: url('https:', 'http:').default('https://oauth2.googleapis.com/token'),
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
  /** A base station's reading outside these bounds alerts the parent. */
  environmentBounds: EnvironmentBounds
}

/** Parses JSON that fits `schema`. An issue may name a field but never quotes its value, which may be a secret. */
const json = <Schema extends z.ZodType>(schema: Schema, read: (text: string) => string = (text) => text) =>
  z.string().transform((text, context): z.infer<Schema> => {
    const fail = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    let value: unknown
    try {
      value = JSON.parse(read(text))
    } catch (error) {
      const isFile = error instanceof Error && 'path' in error
      return fail(isFile ? 'names a file that cannot be read' : 'cannot be read as JSON')
    }
    const parsed = schema.safeParse(value, { error: plainWords })
    return parsed.success ? parsed.data : fail(parsed.error.issues.map(describe).join('; '))
  })

const describe = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  [path.join('.'), message].filter(Boolean).join(': ')

const contentOf = (text: string) => (text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8'))

/** The environment variables that configure alerts. */
export const alertVariables = z.object({
  FCM_SERVICE_ACCOUNT: json(serviceAccount, contentOf).optional(),
  FCM_BASE_URL: url('https:', 'http:').default('https://fcm.googleapis.com'),
  ALIMTALK_WEBHOOK_URL: url('https:', 'http:').optional(),
  ENVIRONMENT_BOUNDS: json(bounds).default({ temperature: [16, 28], humidity: [25, 75] }),
})

/** Builds the configuration of alerts from its parsed environment variables. */
export const alertConfig = (env: z.infer<typeof alertVariables>): AlertConfig => ({
  fcm: env.FCM_SERVICE_ACCOUNT && {
    account: env.FCM_SERVICE_ACCOUNT,
    baseUrl: env.FCM_BASE_URL.replace(/\/+$/, ''),
  },
  alimTalkUrl: env.ALIMTALK_WEBHOOK_URL,
  environmentBounds: env.ENVIRONMENT_BOUNDS,
})
