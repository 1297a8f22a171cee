import { Failure } from '../errors/failure.ts'
import { accountErrors, tokenErrors } from '../errors/generic.ts'
import type { Caller } from './tokens/caller.ts'

/** The columns that a statement must select of the caller's `root_user u`, so that `assertActive` can judge it. */
export const ACCOUNT_STATE = `u.token_epoch, u.deleted_at IS NOT NULL AS is_deleted, u.blocked_at IS NOT NULL AS is_blocked`

export interface AccountState {
  token_epoch: number
  is_deleted: boolean
  is_blocked: boolean
}

/** Throws when the account is gone, deleted or blocked, or when the token was issued before the account's tokens were revoked. */
export function assertActive<State extends AccountState>(account: State | undefined, caller: Caller): State {
  if (!account) throw new Failure(...accountErrors[0])
  if (account.is_deleted) throw new Failure(...accountErrors[1])
  if (account.is_blocked) throw new Failure(...accountErrors[2])
  if (!caller.granted && account.token_epoch !== caller.epoch) throw new Failure(...tokenErrors[0])
  return account
}
