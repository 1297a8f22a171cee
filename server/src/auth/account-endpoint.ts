import type { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { accountErrors, otherAccountErrors, tokenErrors } from '../errors/generic.ts'
import { batchedRead } from '../database/batched-read.ts'
import type { Database } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { endpoint, keepsResponseByKey } from '../http/endpoint.ts'
import type { AccountKind, Operation } from '../http/endpoint.ts'
import { rawIdField } from '../http/fields.ts'
import { bearerToken } from '../http/request.ts'
import { allowedRoles } from '../http/right.ts'
import type { Right, Role } from '../http/right.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { outcomeOf } from '../trail/outcome.ts'
import { ACCOUNT_STATE, assertActive } from './account-state.ts'
import type { AccountState } from './account-state.ts'
import { assertGrantTokenExists, findCallerByGrantToken, isGrantToken } from './tokens/grant-token.ts'
import type { Caller } from './tokens/caller.ts'
import { idempotencyKey, readIdempotencyKey, runOncePerIdempotencyKey } from './kept-response.ts'
import type { ReplayedResponse } from './kept-response.ts'

const readAccountState = batchedRead<AccountState>(
  'account-state',
  ['int'],
  `SELECT ${ACCOUNT_STATE} FROM root_user u WHERE u.id = $1`,
)

/** The caller named by the access token, whose account may act. */
export async function requireActiveCaller(
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
  operation: Pick<AccountOperation, 'scope' | 'method' | 'accounts'>
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
  { operation: { scope, method, accounts }, getRawInput, path } = nothingAsked,
): Promise<Caller> {
  const token = bearerToken(context.request)
  if (token !== undefined && isGrantToken(token)) {
    if (method !== 'GET') await assertGrantTokenExists(context, token)
    return findCallerByGrantToken(context, {
      token,
      scope,
      path,
      realUserId: childNamedIn(await getRawInput()),
    })
  }
  const caller = token === undefined ? 'invalid' : await context.tokens.verifyAccess(token)
  if (caller === 'invalid') throw new Failure(...tokenErrors[0])
  if (caller === 'expired') throw new Failure(...tokenErrors[1])
  if (accounts !== 'all' && (accounts === 'clinicians') !== (caller.isClinician ?? false)) {
    const failure = new Failure(...otherAccountErrors[0])
    const realUserId = childNamedIn(await getRawInput())
    if (realUserId !== undefined) {
      const actor = { kind: 'account', id: caller.rootUserId } as const
      const outcome = `${failure.status} ${failure.detail}`
      context.trail.note(context, { actor, operation: path, realUserId, outcome, isChange: false })
    }
    throw failure
  }
  return caller
}

/** What an operation for accounts of one kind declares of those of the other. */
type OtherAccountErrors<Kind extends AccountKind> = Kind extends 'all'
  ? readonly []
  : typeof otherAccountErrors

/** The same; but one that declares it of children says it once. */
function errorsOfOtherAccounts<Kind extends AccountKind>(
  operation: { accounts?: Kind },
  errors: readonly ErrorDeclaration[],
): OtherAccountErrors<Kind>
function errorsOfOtherAccounts(
  { accounts }: { accounts?: AccountKind },
  errors: readonly ErrorDeclaration[],
): readonly [] | typeof otherAccountErrors {
  const [[status, detail]] = otherAccountErrors
  const isDeclared = errors.some((each) => each[0] === status && each[1] === detail)
  return accounts === 'all' || isDeclared ? [] : otherAccountErrors
}

const named = z.object({ real_user_id: rawIdField })

/** The child that the input of an operation names, before it was validated as a whole. */
const childNamedIn = (input: unknown): number | undefined => named.safeParse(input).data?.real_user_id

/** An operation for signed-in callers. It does not compile without saying whom it admits. */
type AccountOperation = Omit<Operation, 'token'> & { right: Right }

const withAccess = (operation: AccountOperation) => {
  const { headers } = operation
  const served = { ...operation, token: 'access' as const }
  return keepsResponseByKey(served)
    ? { ...served, headers: { ...headers, 'Idempotency-Key': idempotencyKey } }
    : served
}

/** What a handler learns of the operation's right. */
export interface OperationAuthorization {
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

/** What a handler gets of its own. */
type Own = OperationAuthorization & Pick<Context, 'database' | 'request'>

interface Reached {
  role?: Role | null | undefined
  isRefused?: boolean
  oldValue?: unknown
}

interface Called {
  caller: Caller
  /** By which its response is kept. */
  key?: string | undefined
  operation: AccountOperation
  path: string
  getRawInput: () => Promise<unknown>
  errors: readonly ErrorDeclaration[]
}

const refusesLostRight = (errors: readonly ErrorDeclaration[]): boolean =>
  errors.some(([status, detail]) => status === 401 && detail === 'Not authorized user')

/** Runs the rest of an operation with what its declared right means for this caller, and puts it on the trail. */
async function underRight<Result extends { ok: true; data: unknown } | { ok: false; error: TRPCError }>(
  ctx: Context,
  called: Called,
  proceed: (own: Own) => Promise<Result>,
): Promise<Result | ReplayedResponse> {
  const { caller, key, operation, path, getRawInput, errors } = called
  const { right, method } = operation
  const roles = allowedRoles(right)
  const { granted, rootUserId } = caller
  let reached: Map<number, Reached> | undefined
  const reach = (realUserId: number, more: Reached) => {
    reached ??= new Map()
    reached.set(realUserId, { ...reached.get(realUserId), ...more })
  }
  const rights: OperationAuthorization = {
    allowedRoles: roles,
    mayAccess(role, realUserId) {
      // Nobody but the owner of a child can allow others to see it.
      const isGranted = !granted || (role === 'owner' && granted.children.has(realUserId))
      const isRefused = !role || !roles.includes(role) || !isGranted
      reach(realUserId, { role, isRefused })
      return !isRefused
    },
    touches: (realUserId, oldValue) => reach(realUserId, { oldValue }),
  }
  const reachNamed = async () => {
    const named = right === 'self' ? undefined : childNamedIn(await getRawInput())
    if (named !== undefined) reach(named, {})
  }
  let isReplayed = false
  const result =
    key === undefined
      ? await proceed({ database: ctx.database, request: ctx.request, ...rights })
      : await runOncePerIdempotencyKey(
          {
            ...called,
            ctx,
            key,
            // Where a lost right is refused as such. No other operation answers anything of a child.
            roles: refusesLostRight(errors) ? roles : [],
            async reached() {
              if (!reached) await reachNamed()
              return [...(reached ?? [])].map(([id, { role, isRefused }]) => ({
                id,
                isAdmitted: Boolean(role) && !isRefused,
              }))
            },
            replayed(children) {
              isReplayed = true
              for (const { id, role } of children) reach(id, { role })
            },
          },
          ({ database, request }) => proceed({ database, request, ...rights }),
        )
  const outcome = outcomeOf(result)
  if (outcome === undefined) return result
  if (!reached || !result.ok) await reachNamed()
  if (!reached) return result
  const isChange = result.ok && method !== 'GET' && !isReplayed
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
export const accountEndpoint = <
  const Errors extends readonly ErrorDeclaration[],
  const Kind extends AccountKind = 'parents',
>(
  operation: AccountOperation & { accounts?: Kind },
  errors: Errors,
) => {
  const served = withAccess(operation)
  const isKept = keepsResponseByKey(served)
  const others = errorsOfOtherAccounts(operation, errors)
  return endpoint(served, [...errors, ...others, ...tokenErrors, ...accountErrors]).use(
    async ({ ctx, next, path, getRawInput }) => {
      const asked = { operation, getRawInput, path }
      const key = isKept ? readIdempotencyKey(ctx.request) : undefined
      // `runOncePerIdempotencyKey` judges the account by the statement that looks for the key.
      const caller =
        typeof key === 'string' ? await tokenCaller(ctx, asked) : await requireActiveCaller(ctx, asked)
      if (key instanceof InvalidInput) throw key
      if (operation.method !== 'GET') ctx.limits.countChange(caller.rootUserId)
      return underRight(ctx, { caller, key, ...asked, errors }, (own) => next({ ctx: { caller, ...own } }))
    },
  )
}

/**
 * The same for hot paths that save the round trip: only the token is checked, and the handler's own statement must
 * select `ACCOUNT_STATE` and pass it through `assertActive`.
 */
export const uncheckedAccountEndpoint = <
  const Errors extends readonly ErrorDeclaration[],
  const Kind extends AccountKind = 'parents',
>(
  operation: AccountOperation & { method: 'GET'; accounts?: Kind },
  errors: Errors,
) =>
  endpoint(withAccess(operation), [
    ...errors,
    ...errorsOfOtherAccounts(operation, errors),
    ...tokenErrors,
    ...accountErrors,
  ]).use(async ({ ctx, next, path, getRawInput }) => {
    const caller = await tokenCaller(ctx, { operation, getRawInput, path })
    return underRight(ctx, { caller, operation, path, getRawInput, errors }, (own) =>
      next({ ctx: { caller, ...own } }),
    )
  })
