import { CLINICIAN_ACCOUNT_TYPE } from '../auth/tokens/session.ts'
import type { Database } from '../database/database.ts'
import { accountNameConditionSql } from '../encrypted-columns/lookup.ts'

/** The account states of the contract, in order of precedence. */
export const accountStates = [
  'deleted',
  'blocked',
  'sign-up not completed',
  'SMS verification pending',
  'active',
] as const
export type AccountStateName = (typeof accountStates)[number]

const signIns = [
  'sign_in',
  'social_sign_in',
  'passkey_sign_in',
  'sign_up',
  'social_sign_up',
  'clinician_sign_up',
] as const

/** An account as operators see it. */
export interface ListedAccount {
  root_user_id: number
  email: string | null
  phone: string | null
  state: AccountStateName
  register_type: string
  provider: string | null
  children: number
  created_at: Date
  last_sign_in_at: Date | null
}

/** Lists accounts, newest first; `name`, which is an e-mail address or an id, and `state` select. */
export async function listAccounts(
  { sql, keyRing }: Database,
  { name, state, limit }: { name?: string; state?: AccountStateName; limit: number },
): Promise<ListedAccount[]> {
  const rows = await sql
    .selectFrom((from) =>
      from
        .selectFrom('root_user')
        .leftJoin('social_identity', 'social_identity.root_user_id', 'root_user.id')
        .select((row) => [
          'root_user.id as root_user_id',
          'root_user.email',
          'root_user.email_hash',
          'root_user.clinician_email_hash',
          'root_user.phone',
          'root_user.register_type',
          'root_user.created_at',
          'social_identity.provider',
          row
            .case()
            .when('root_user.deleted_at', 'is not', null)
            .then(row.val<AccountStateName>('deleted'))
            .when('root_user.blocked_at', 'is not', null)
            .then(row.val<AccountStateName>('blocked'))
            .when('root_user.is_signup_completed', '=', false)
            .then(row.val<AccountStateName>('sign-up not completed'))
            // A clinician has no phone.
            .when(
              row.and([
                row('root_user.is_phone_number_checked', '=', false),
                row('root_user.register_type', '<>', CLINICIAN_ACCOUNT_TYPE),
              ]),
            )
            .then(row.val<AccountStateName>('SMS verification pending'))
            .else(row.val<AccountStateName>('active'))
            .end()
            .as('state'),
          row
            .selectFrom('real_user')
            .select((child) => child.fn.countAll<string>().as('count'))
            .whereRef('real_user.root_user_id', '=', 'root_user.id')
            .where('real_user.deleted_at', 'is', null)
            .as('children'),
          row
            .selectFrom('security_record')
            .select((record) => record.fn.max('recorded_at').as('at'))
            .whereRef('security_record.root_user_id', '=', 'root_user.id')
            .where('action', 'in', signIns)
            .as('last_sign_in_at'),
        ])
        .as('account'),
    )
    .selectAll()
    .$if(name !== undefined, (query) =>
      query.where(
        accountNameConditionSql(keyRing, name ?? '', {
          table: 'account',
          id: 'root_user_id',
          isAnyKind: true,
        }),
      ),
    )
    .$if(state !== undefined, (query) => query.where('account.state', '=', state ?? 'active'))
    .orderBy('account.root_user_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(
    ({ children, last_sign_in_at, email_hash: _hash, clinician_email_hash: _other, ...row }) => ({
      ...row,
      email: keyRing.decrypt('root_user.email', row.email),
      phone: keyRing.decrypt('root_user.phone', row.phone),
      children: Number(children ?? 0),
      last_sign_in_at: last_sign_in_at && new Date(last_sign_in_at),
    }),
  )
}
