import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { tokenHash } from '../auth/tokens/tokens.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { deriveKey } from '../encryption/derive-key.ts'
import { createKeyRing } from '../encryption/key-ring.ts'

/*
 * A parent who clicks twice sends the response of a step twice, and browsers show what comes last. So the library goes on from
 * a step once, and its response is repeated to a browser that comes again within a minute: the same place, code and cookies.
 */

/** Where a browser is sent, with the cookies that it gets. */
export interface StepRedirect {
  location: string
  cookies: readonly string[]
}

const PLACE = 'oauth_state.answer'
/** Between two looks, in milliseconds: seldom after a while, so that many who wait take nothing from the one that is waited for. */
const WAITS = [25, 50, 100, 200, 400, 800, 800, 800, 800, 800, 800, 800, 800, 800, 800]
/** Later, the process that went on from a step has died on the way. */
const LEASE_MS = 30_000

const claim = statement<{ kind: string }>(
  'oauth-claim',
  `UPDATE oauth_state SET consumed_at = $2
   WHERE kind = 'Interaction' AND id_hash = $1 AND (consumed_at IS NULL OR answer IS NULL AND consumed_at < $3)
   RETURNING kind`,
)
const keep = statement<never>(
  'oauth-keep-answer',
  `UPDATE oauth_state SET answer = $2 WHERE kind = 'Interaction' AND id_hash = $1`,
)
const selectStored = statement<{ answer: string | null }>(
  'oauth-answer',
  `SELECT answer FROM oauth_state WHERE kind = 'Interaction' AND id_hash = $1 AND consumed_at IS NOT NULL`,
)
const release = statement<never>(
  'oauth-release',
  `UPDATE oauth_state SET consumed_at = NULL, answer = NULL
   WHERE kind = 'Interaction' AND id_hash = $1 AND answer IS NOT DISTINCT FROM $2`,
)
const selectUnused = statement<{ kind: string }>(
  'oauth-unused-code',
  `SELECT kind FROM oauth_state WHERE kind = 'AuthorizationCode' AND id_hash = $1 AND consumed_at IS NULL`,
)

/** The id of a step, which its browser alone knows, is the key: who reads the database reads no code and no cookie. */
const ringOf = (uid: string) => createKeyRing([{ id: 'step', key: deriveKey(uid, 'answer of a step') }], uid)

/** Keeps where the library sends the browser of a step; without a place, the next who comes goes on from the step again. */
export async function saveStepRedirect(
  { query }: Database,
  uid: string,
  onward: StepRedirect | undefined,
): Promise<void> {
  if (onward) await query(keep, [tokenHash(uid), ringOf(uid).encrypt(PLACE, JSON.stringify(onward))])
  else await query(release, [tokenHash(uid), null])
}

/**
 * Whether this call is the one that goes on from a step. If it is not, what the first has got is returned as soon as it is
 * there: undefined if it never comes.
 */
export async function claimStepOrAwaitResult(
  { query }: Database,
  uid: string,
  response: ServerResponse,
): Promise<'claimed' | StepRedirect | undefined> {
  const id = tokenHash(uid)
  for (const ms of WAITS) {
    if (response.destroyed) return undefined
    const [claimed] = await query(claim, [id, new Date(), new Date(Date.now() - LEASE_MS)])
    if (claimed) return 'claimed'
    const [kept] = await query(selectStored, [id])
    if (!kept) return undefined
    if (kept.answer !== null) {
      const onward: StepRedirect = JSON.parse(ringOf(uid).decrypt(PLACE, kept.answer))
      const code = new URLSearchParams(onward.location.split('?')[1]).get('code')
      if (code === null || (await query(selectUnused, [tokenHash(code)])).length > 0) return onward
      // The service has used the code already: a second use would end its tokens (RFC 9700, 4.5), so it gets another.
      await query(release, [id, kept.answer])
    } else await wait(ms)
  }
  return undefined
}
