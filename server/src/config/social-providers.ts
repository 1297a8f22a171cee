import { z } from 'zod'
import { urlSetting } from './values.ts'

/** An OpenID Connect issuer; its ID tokens are accepted if their audience is one of `clientIds`. */
export interface SocialProvider {
  name: string
  issuer: string
  clientIds: readonly string[]
  /** As whom this service itself sends browsers there, to sign in on its pages. */
  web: { clientId: string; clientSecret: string } | undefined
}

const presets: Record<string, string> = {
  google: 'https://accounts.google.com',
  apple: 'https://appleid.apple.com',
  kakao: 'https://kauth.kakao.com',
}

const provider = z
  .object({
    // find-account answers `email` for accounts without a provider.
    name: z.string().regex(/^(?!email$)[a-z][a-z0-9_-]{0,31}$/, 'must be a short lower-case name'),
    issuer: urlSetting('https:', 'http:').optional(),
    client_ids: z.array(z.string().min(1)).min(1, 'must name at least one client id'),
    web: z
      .object({ client_id: z.string().min(1), client_secret: z.string().min(1) })
      .transform(({ client_id, client_secret }) => ({ clientId: client_id, clientSecret: client_secret }))
      .optional(),
  })
  .transform(({ name, issuer, client_ids, web }, issues): SocialProvider => {
    const known = issuer ?? presets[name]
    if (known === undefined) {
      issues.addIssue(`needs an issuer; only ${Object.keys(presets).join(', ')} have a built-in one`)
    }
    return { name, issuer: known ?? '', clientIds: client_ids, web }
  })

/**
 * `SOCIAL_PROVIDERS`: JSON `[{"name","issuer","client_ids":[…],"web":{"client_id","client_secret"}}]`, the issuer optional for the
 * well-known ones, `web` for all.
 */
export const socialProvidersSchema = z
  .string()
  .transform((text, issues): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      issues.addIssue('must be JSON')
      return z.NEVER
    }
  })
  .pipe(z.array(provider))
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
    error: 'must not name a provider twice',
  })
