import { timingSafeEqual } from 'node:crypto'
import type { SignInAttempt } from '../../auth/social/social-provider.ts'
import type { Keys } from '../../auth/keys.ts'

/** Where social providers send a browser back to. They compare the whole address, so it holds nothing of the attempt. */
export const SOCIAL_RETURN_PATH = '/oauth/signed-in'

/** Which sign-in of which browser. */
export interface SocialSignInStep {
  issuer: string
  /** The id of the step, whose cookie the browser holds. */
  uid: string
  provider: string
}

/**
 * The secrets of an attempt. They follow from the id of the step, so that nothing is kept between the browser's leaving and its return,
 * and only the browser that holds the cookie of the step can use them.
 */
export function deriveSignInAttempt(
  { hash }: Pick<Keys, 'hash'>,
  { issuer, uid, provider }: SocialSignInStep,
): SignInAttempt {
  const secret = (purpose: string) => hash('social', `${purpose} ${provider} ${uid}`).toString('base64url')
  return {
    redirectUri: `${issuer}${SOCIAL_RETURN_PATH}`,
    state: `${uid}.${provider}.${secret('state')}`,
    nonce: secret('nonce'),
    verifier: secret('verifier'),
  }
}

/** The step and the provider that a `state` names; whether it is genuine is for `isStateOfAttempt` to say. */
export function parseSocialState(state: string): Pick<SocialSignInStep, 'uid' | 'provider'> | undefined {
  const [, uid, provider] = /^([\w-]{1,64})\.([a-z][a-z0-9_-]{0,31})\.[\w-]{43}$/.exec(state) ?? []
  return uid === undefined || provider === undefined ? undefined : { uid, provider }
}

export function isStateOfAttempt({ state }: SignInAttempt, given: string): boolean {
  const [expected, sent] = [Buffer.from(state), Buffer.from(given)]
  return expected.length === sent.length && timingSafeEqual(expected, sent)
}
