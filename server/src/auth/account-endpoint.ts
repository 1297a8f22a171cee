import type { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { Failure } from '../errors/failure.ts'
import type { Declared } from '../errors/failure.ts'
import { accountErrors, tokenErrors } from '../errors/generic.ts'
import { batchedRead } from '../database/batched-read.ts'
import type { Database } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { endpoint } from '../http/endpoint.ts'
import type { Operation } from '../http/endpoint.ts'
import { id } from '../http/fields.ts'
import { bearerToken } from '../http/request.ts'
import { allowedRoles } from '../http/right.ts'
import type { Right, Role } from '../http/right.ts'
import { outcomeOf } from '../trail/outcome.ts'
import { assertKnownToken, grantCaller, isGrantToken } from './tokens/grant-token.ts'
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

const readAccountState = batchedRead<AccountState>(
  'account-state',
  ['int'],
  `SELECT ${ACCOUNT_STATE} FROM root_user u WHERE u.id = $1`,
)

/** The caller named by the access token, whose account may act. */
export async function activeCaller(
  context: Context & { database: Database },
  asked?: Asked,
): Promise<Caller> {
  const caller = await tokenCaller(context, asked)
  // The account of a grant was judged with its token.
  if (caller.granted) return caller
  const [account] = await context.database.query(readAccountState, [caller.rootUserId])
  assertActive(account, caller)
  return caller
}

/** What is asked of a service that calls with a parent's consent. */
interface Asked {
  operation: Pick<AccountOperation, 'scope' | 'method'>
  /** Reads the input, which only such a call is judged by. */
  getRawInput: () => Promise<unknown>
  /** The operation's name. */
  path: string
}

const nothingAsked: Asked = {
  operation: { method: 'GET' },
  getRawInput: async () => undefined,
  path: '',
}

async function tokenCaller(
  context: Context,
  { operation: { scope, method }, getRawInput, path } = nothingAsked,
): Promise<Caller> {
  const token = bearerToken(context.request)
  if (token !== undefined && isGrantToken(token)) {
    if (method !== 'GET') await assertKnownToken(context, token)
    return grantCaller(context, { token, scope, path, realUserId: childNamedIn(await getRawInput()) })
  }
  const caller = token === undefined ? 'invalid' : await context.tokens.verifyAccess(token)
  if (caller === 'invalid') throw new Failure(...tokenErrors[0])
  if (caller === 'expired') throw new Failure(...tokenErrors[1])
  return caller
}

const named = z.object({
  real_user_id: z.union([
    id,
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(id),
  ]),
})

/** The child that the input of an operation names, before it was validated as a whole. */
const childNamedIn = (input: unknown): number | undefined => named.safeParse(input).data?.real_user_id

/** An operation for signed-in callers. It does not compile without saying whom it admits. */
type AccountOperation = Omit<Operation, 'token'> & { right: Right }

const withAccess = (operation: AccountOperation) => ({ ...operation, token: 'access' as const })

/** What a handler learns of the operation's right. */
export interface Rights {
  /** The roles that the operation admits. */
  allowedRoles: readonly Role[]
  /**
   * Whether the caller, who has `role` towards the child, may go on. A handler asks of every child, because this also puts
   * the access on the trail, as soon as the operation is answered.
   */
  mayAccess: (role: Role | null | undefined, realUserId: number) => boolean
  /**
   * Puts the access to a child on the trail that neither `mayAccess` nor the field `real_user_id` names, and what the
   * change of a child has replaced.
   */
  touches: (realUserId: number, oldValue?: unknown) => void
}

interface Reached {
  role?: Role | null | undefined
  isRefused?: boolean
  oldValue?: unknown
}

interface Called {
  caller: Caller
  operation: AccountOperation
  path: string
  getRawInput: () => Promise<unknown>
}

/** Runs the rest of an operation with what its declared right means for this caller, and puts it on the trail. */
async function underRight<Result extends { ok: true } | { ok: false; error: TRPCError }>(
  ctx: Context,
  { caller, operation: { right, method }, path, getRawInput }: Called,
  proceed: (rights: Rights) => Promise<Result>,
): Promise<Result> {
  const roles = allowedRoles(right)
  const { granted, rootUserId } = caller
  let reached: Map<number, Reached> | undefined
  const reach = (realUserId: number, more: Reached) => {
    reached ??= new Map()
    reached.set(realUserId, { ...reached.get(realUserId), ...more })
  }
  const result = await proceed({
    allowedRoles: roles,
    mayAccess(role, realUserId) {
      // Nobody but the owner of a child can allow others to see it.
      const isGranted = !granted || (role === 'owner' && granted.children.has(realUserId))
      const isRefused = !role || !roles.includes(role) || !isGranted
      reach(realUserId, { role, isRefused })
      return !isRefused
    },
    touches: (realUserId, oldValue) => reach(realUserId, { oldValue }),
  })
  const outcome = outcomeOf(result)
  if (outcome === undefined) return result
  if (right !== 'self' && (!reached || !result.ok)) {
    const named = childNamedIn(await getRawInput())
    if (named !== undefined) reach(named, {})
  }
  if (!reached) return result
  const isChange = result.ok && method !== 'GET'
  for (const [realUserId, { role, isRefused, oldValue }] of reached) {
    // A list leaves out what the caller may not see.
    if (result.ok && isRefused) continue
    const actor = granted
      ? ({ kind: 'client', id: granted.clientId } as const)
      : ({ kind: role && role !== 'owner' ? 'member' : 'account', id: rootUserId } as const)
    ctx.trail.note(ctx, {
      actor,
      operation: path,
      realUserId,
      outcome,
      isChange,
      oldValue: isChange ? oldValue : undefined,
    })
  }
  return result
}

/** An operation for signed-in callers; the account is checked, and its changes are counted, before its handler runs. */
export const accountEndpoint = <const Errors extends readonly Declared[]>(
  operation: AccountOperation,
  errors: Errors,
) =>
  endpoint(withAccess(operation), [...errors, ...tokenErrors, ...accountErrors]).use(
    async ({ ctx, next, path, getRawInput }) => {
      const caller = await activeCaller(ctx, { operation, getRawInput, path })
      if (operation.method !== 'GET') ctx.limits.countChange(caller.rootUserId)
      return underRight(ctx, { caller, operation, path, getRawInput }, (rights) =>
        next({ ctx: { caller, ...rights } }),
      )
    },
  )

/**
 * The same for hot paths that save the round trip: only the token is checked, and the handler's own statement must
 * select `ACCOUNT_STATE` and pass it through `assertActive`.
 */
export const tokenEndpoint = <const Errors extends readonly Declared[]>(
  operation: AccountOperation,
  errors: Errors,
) =>
  endpoint(withAccess(operation), [...errors, ...tokenErrors, ...accountErrors]).use(
    async ({ ctx, next, path, getRawInput }) => {
      const caller = await tokenCaller(ctx, { operation, getRawInput, path })
      return underRight(ctx, { caller, operation, path, getRawInput }, (rights) =>
        next({ ctx: { caller, ...rights } }),
      )
    },
  )
