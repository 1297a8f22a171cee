import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../database/database.ts'
import type { Keys, TokenKeys } from '../keys.ts'
import { tokenHash } from './tokens.ts'
import type { AccessClaims, RefreshClaims, TokenPair, TokenIssuer } from './tokens.ts'

/** `root_user.register_type` of clinicians, who sign in by a passkey. */
export const CLINICIAN_ACCOUNT_TYPE = 'P'

/** How long a refresh with an Idempotency-Key may be repeated. */
const REPLAY_SECONDS = 60

const same = (one: Uint8Array | null, other: Uint8Array | null) =>
  one !== null && other !== null && timingSafeEqual(one, other)

const nowInSeconds = () => Math.floor(Date.now() / 1000)

interface Account {
  id: number
  token_epoch: number
  register_type?: string
}

const claimsOf = ({ id, token_epoch, register_type }: Account): AccessClaims => ({
  rootUserId: id,
  epoch: token_epoch,
  ...(register_type === CLINICIAN_ACCOUNT_TYPE ? { isClinician: true } : {}),
})

/** Starts the account's one session; an older one ends by it. */
export async function startSession(sql: Sql, tokens: TokenIssuer, account: Account): Promise<TokenPair> {
  const issuedAt = nowInSeconds()
  const pair = await tokens.issuePair(claimsOf(account), randomUUID(), issuedAt)
  const session = {
    refresh_hash: tokenHash(pair.refresh_token),
    previous_hash: null,
    idempotency_hash: null,
    issued_at: new Date(issuedAt * 1000),
  }
  await sql
    .insertInto('session')
    .values({ root_user_id: account.id, ...session })
    .onConflict((conflict) => conflict.column('root_user_id').doUpdateSet(session))
    .execute()
  return pair
}

/**
 * Exchanges the stored refresh token for a new pair. The row lock lets one of several calls win; for the others the
 * token is no longer the stored one, so they end the session (contract, "Duplicate-login rule") – unless they repeat
 * the winner's Idempotency-Key in time, which gives them the winner's pair. A token of an older epoch was dead before,
 * and sending it ends nothing. Undefined: not valid.
 */
export async function rotateSession(
  sql: Sql,
  { tokens, keys }: { tokens: TokenIssuer; keys: Keys },
  { rootUserId, epoch }: RefreshClaims,
  token: string,
  idempotencyKey: string | undefined,
): Promise<(TokenPair & { id: string }) | undefined> {
  const stored = await sql
    .selectFrom('session')
    .innerJoin('root_user', 'root_user.id', 'session.root_user_id')
    .select([
      'root_user.uuid',
      'root_user.token_epoch',
      'root_user.register_type',
      'refresh_hash',
      'previous_hash',
      'idempotency_hash',
      'issued_at',
    ])
    .where('session.root_user_id', '=', rootUserId)
    .forUpdate('session')
    .executeTakeFirst()
  if (!stored || (epoch ?? stored.token_epoch) !== stored.token_epoch) return undefined
  const hash = tokenHash(token)
  const caller = claimsOf({ ...stored, id: rootUserId })
  // With a key the next token's id follows from key and token, so that the pair can be made again.
  const refreshId = ({ refresh }: TokenKeys) =>
    idempotencyKey === undefined
      ? randomUUID()
      : createHmac('sha256', refresh).update(`${idempotencyKey}\n${token}`).digest('base64url')
  const idempotencyHash = idempotencyKey === undefined ? null : tokenHash(idempotencyKey)

  if (same(hash, stored.refresh_hash)) {
    const issuedAt = nowInSeconds()
    const pair = await tokens.issuePair(caller, refreshId(keys), issuedAt)
    await sql
      .updateTable('session')
      .set({
        refresh_hash: tokenHash(pair.refresh_token),
        previous_hash: hash,
        idempotency_hash: idempotencyHash,
        issued_at: new Date(issuedAt * 1000),
      })
      .where('root_user_id', '=', rootUserId)
      .execute()
    return { ...pair, id: stored.uuid }
  }

  const issuedAt = stored.issued_at.getTime() / 1000
  const repeats =
    same(idempotencyHash, stored.idempotency_hash) &&
    same(hash, stored.previous_hash) &&
    nowInSeconds() - issuedAt <= REPLAY_SECONDS
  // The keys may have changed in between: what counts is the pair that was given.
  for (const signing of repeats ? keys.generations : []) {
    const pair = await tokens.issuePair(caller, refreshId(signing), issuedAt, signing)
    if (same(tokenHash(pair.refresh_token), stored.refresh_hash)) return { ...pair, id: stored.uuid }
  }

  await sql.deleteFrom('session').where('root_user_id', '=', rootUserId).execute()
  return undefined
}

/** Removes the stored refresh token and kills every access token issued before. */
export async function endSessions(sql: Sql, rootUserId: number): Promise<void> {
  // The account first, as everywhere: two that lock it and its session the other way round would wait for each other.
  await sql
    .updateTable('root_user')
    .set((column) => ({ token_epoch: column('token_epoch', '+', 1) }))
    .where('id', '=', rootUserId)
    .execute()
  await sql.deleteFrom('session').where('root_user_id', '=', rootUserId).execute()
}
