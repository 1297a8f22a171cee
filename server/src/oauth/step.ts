import type { IncomingMessage } from 'node:http'
import { sql as raw } from 'kysely'
import type { InteractionResults, Provider } from 'oidc-provider'
import { tokenHash } from '../auth/tokens/tokens.ts'
import type { Database, Sql } from '../database/database.ts'
import { endProviderSession } from './adapter.ts'
import { readBrowserId } from './browser.ts'

/** One step of an authorization: a parent is asked to sign in, or to consent. The library calls it an interaction. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

type Session = Awaited<ReturnType<Provider['Session']['get']>>

/** Where the pages for sign-in and consent are; the id of a step follows. */
export const INTERACTION_PATH = '/oauth/interaction/'

/** Where authorizations begin, and where they go on from an answered step, whose id follows then. */
export const AUTHORIZE_PATH = '/oauth/authorize'

/** The page of a step. */
export const stepAddress = ({ issuer }: Provider, uid: string): string => `${issuer}${INTERACTION_PATH}${uid}`

/** The step with this id, if it is of this browser. One that was answered is found for a minute more. */
export async function findStep(
  provider: Provider,
  request: IncomingMessage,
  uid: string,
): Promise<Interaction | undefined> {
  const interaction = await provider.Interaction.find(uid)
  return interaction && interaction.cid === readBrowserId(request, provider.issuer) ? interaction : undefined
}

/** Where a browser goes when its step is answered. */
export const urlAfterStep = ({ issuer }: Provider, uid: string): string => `${issuer}${AUTHORIZE_PATH}/${uid}`

/**
 * Holds a step until the transaction ends, so that of several who answer it at once one does. False if it is answered
 * already.
 */
export async function lockUnansweredStep(sql: Sql, uid: string): Promise<boolean> {
  const { rows } = await raw`
    SELECT FROM oauth_state WHERE kind = 'Interaction' AND id_hash = ${tokenHash(uid)} AND NOT payload ? 'result'
    FOR UPDATE`.execute(sql)
  return rows.length > 0
}

/** Answers a step. What has answered it before stays. */
export async function storeStepResult(
  sql: Sql,
  { uid, lastSubmission }: Pick<Interaction, 'uid' | 'lastSubmission'>,
  result: InteractionResults,
): Promise<void> {
  // A consent comes after the sign-in that the same authorization has asked for.
  const whole = 'consent' in result ? { ...lastSubmission, ...result } : result
  await raw`
    UPDATE oauth_state SET payload = payload || jsonb_build_object('result', ${JSON.stringify(whole)}::jsonb)
    WHERE kind = 'Interaction' AND id_hash = ${tokenHash(uid)} AND NOT payload ? 'result'`.execute(sql)
}

/** Ends the sign-in of a browser in which another account has signed in: the library would ask about it with a script. */
export async function endSignInOfOtherAccount(
  database: Database,
  { step, session }: { step: Interaction; session: Session },
): Promise<void> {
  const { login, consent } = step.result ?? {}
  if (!login || consent) return
  const isOther = session.accountId !== undefined && session.accountId !== login.accountId
  if (isOther) await endProviderSession(database, session.uid)
  if (step.session === undefined || (!isOther && step.session.uid === session.uid)) return
  step.session = undefined
  await step.persist()
}
