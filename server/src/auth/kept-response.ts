import { hash } from 'node:crypto'
import type { TRPCError } from '@trpc/server'
import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import'
import { z } from 'zod'
import { isOfFailedTransaction, isUniqueViolation } from '../database/sql-errors.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Context } from '../http/context.ts'
import type { HeaderField, Operation } from '../http/endpoint.ts'
import type { Role } from '../http/right.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { today } from '../time/wall-clock.ts'
import { ACCOUNT_STATE, assertActive } from './account-state.ts'
import type { AccountState } from './account-state.ts'
import type { Caller } from './tokens/caller.ts'

export const idempotencyKey = {
  description: `Made by the client for each change, and the same for each attempt at it: within 24 hours the service responds as
to the first, with \`Idempotency-Replayed: true\`, and does nothing again.`,
  pattern: '^[!-~]{16,255}$',
  minLength: 16,
  maxLength: 255,
  examples: ['9b2f6f0e-5f0b-4d59-8a53-6f1f3f3c2a11'],
} satisfies HeaderField

const KEY = new RegExp(idempotencyKey.pattern)

/** The key of a call, if it has one, or what is wrong with it. */
export function readIdempotencyKey({ headers }: Context['request']): string | InvalidInput | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key
  return new InvalidInput(['Idempotency-Key'], 'must be 16 to 255 visible ASCII characters', 'header')
}

const KEPT = 'kept_response.response'
const ROW = '(root_user_id, client_id, key_hash) = ($1, $2, $3)'

/** How long a call may go on after its commit: beyond, its process has died. */
const FINISHING = `interval '1 minute'`

interface Claimed extends Omit<AccountState, 'token_epoch'> {
  /** Whether no other call with the key is at work. */
  is_free: boolean
  /** Null without an account. */
  token_epoch: number | null
  /** These are null without an earlier call. */
  input_hash: Buffer | null
  /** Null also while what the earlier call needs is not done. */
  response: string | null
  children: number[] | null
  is_current: boolean | null
}

// The look-up may be older than the lock. Then the primary key refuses the row, which another call has kept in between.
const claimKey = statement<Claimed>(
  'claim-key',
  `SELECT pg_try_advisory_xact_lock($4) AS is_free, ${ACCOUNT_STATE}, k.input_hash, k.response, k.children,
     k.created_at > now() - CASE WHEN k.response IS NULL THEN ${FINISHING} ELSE interval '24 hours' END AS is_current
   FROM (VALUES ($1::int, $2::int, $3::bytea)) AS call (root_user_id, client_id, key_hash)
   LEFT JOIN root_user u ON u.id = call.root_user_id
   LEFT JOIN kept_response k USING (root_user_id, client_id, key_hash)`,
)

const selectReached = statement<{ children: number[] }>(
  'children-reached',
  'SELECT children_reached($1, $2, $3, $4) AS children',
)

const selectRoles = statement<ReachedAgain>(
  'roles-reached',
  `SELECT r.id, child_role(r, $2, $3::date) AS role FROM real_user r WHERE r.id = ANY ($1) AND r.deleted_at IS NULL`,
)

const keepResponse = statement<never>(
  'keep-response',
  `INSERT INTO kept_response (root_user_id, client_id, key_hash, input_hash, response, children, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, now())`,
)
const finishResponse = statement<never>(
  'finish-response',
  `UPDATE kept_response SET response = $4 WHERE ${ROW}`,
)
const forgetResponse = statement<never>('forget-response', `DELETE FROM kept_response WHERE ${ROW}`)

/** How many responses are kept for one caller. */
export const MAX_RESPONSES_PER_CALLER = 10_000

/** Of the responses to one caller, all but the newest. */
export const deleteOldestKeptResponses = statement<never>(
  'trim-responses',
  `DELETE FROM kept_response WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM kept_response WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM kept_response WHERE (root_user_id, client_id) = ($1, $2)
       ORDER BY created_at DESC OFFSET ${MAX_RESPONSES_PER_CALLER})) FOR UPDATE SKIP LOCKED))`,
)

const headers = z.record(z.string(), z.string())
const keptResponse = z.union([
  z.object({ data: z.unknown(), headers }),
  z.object({ status: z.int(), detail: z.string(), headers }),
  z.object({ isInvalid: z.literal(true) }),
])
type KeptResponse = z.infer<typeof keptResponse>

interface Call {
  ctx: Context
  caller: Caller
  path: string
  key: string
  operation: Pick<Operation, 'headers' | 'waits' | 'method' | 'assertRepeatable'>
  /** Those that it admits, if it refuses others. */
  roles: readonly Role[]
  /** The children that it has reached. */
  reached: () => Promise<readonly ReachedChild[]>
  /** Told of the children that an earlier response is about, before that is answered. */
  replayed: (children: readonly ReachedAgain[]) => void
  getRawInput: () => Promise<unknown>
}

interface ReachedChild {
  id: number
  /** Whether the caller was found to have a right to it. */
  isAdmitted: boolean
}

/** A child that an earlier response is about, and what the caller is to it now. */
interface ReachedAgain {
  id: number
  role: Role | null
}

export type ReplayedResponse = { readonly marker: typeof middlewareMarker; ok: true; data: unknown }

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError }

/**
 * Runs a call that has an `Idempotency-Key` in one transaction, with the row that keeps its response; the same call again gets that
 * response. It judges the account, too. See docs/decisions/repeatable-writes.md.
 */
export async function runOncePerIdempotencyKey<Own extends Result>(
  call: Call,
  proceed: (own: Pick<Context, 'database' | 'request'>) => Promise<Own>,
): Promise<Own | ReplayedResponse> {
  const { ctx, caller, operation } = call
  const ids = [caller.rootUserId, caller.granted?.clientId ?? 0]
  const keyHash = hash('sha256', `${ids.join()} ${call.path} ${call.key}`, 'buffer')
  const row = [...ids, keyHash]
  const ifMatch = operation.headers?.['If-Match'] && ctx.request.headers['if-match']
  const inputHash = ctx.keys.hash('input', canonical([await call.getRawInput(), ifMatch ?? null]))
  let isFinishing = false
  try {
    return await ctx.database.together(async (unit) => {
      const { database } = unit
      const [found] = await database.query(claimKey, [...row, keyHash.readBigInt64BE()])
      if (!caller.granted) assertActive(accountIn(found), caller)
      const { is_free, is_current, input_hash, response, children } = found ?? {}
      if (!is_free || (is_current && response === null)) throw new Failure(...generic.inProgress)
      const earlier = is_current && response ? parse(database.keyRing.decrypt(KEPT, response)) : undefined
      if (earlier) {
        if (!input_hash?.equals(inputHash)) throw new Failure(...generic.otherInput)
        const reached = await assertReached(call, database, children ?? [])
        ctx.request.responseHeader('Idempotency-Replayed', 'true')
        call.replayed(reached)
        if (!('isInvalid' in earlier)) {
          await unit.rollback()
          return replay(earlier, ctx)
        }
      } else if (input_hash) await database.query(forgetResponse, row)
      const sent: Record<string, string> = {}
      const request = {
        ...ctx.request,
        responseHeader(name: string, value: string) {
          sent[name] = value
          ctx.request.responseHeader(name, value)
        },
      }
      const result = await proceed({ database, request })
      const kept = responseOf(result, sent)
      if (!kept || earlier) {
        // What a declared error leaves behind, such as a counted attempt, is part of it.
        if (result.ok || result.error instanceof Failure) await unit.commit()
        return result
      }
      const text = database.keyRing.encrypt(KEPT, JSON.stringify(kept))
      const isUnfinished = unit.isUnfinished()
      const about = await childrenToKeep(call, database, result)
      // One call of 256, so that it costs the others nothing.
      if (keyHash[0] === 0) await database.query(deleteOldestKeptResponses, ids)
      const isCommitted = await unit.commit({
        statement: keepResponse,
        values: [...row, inputHash, isUnfinished ? null : text, about],
      })
      if (result.ok && !isCommitted) throw new Error(`${call.path} has passed over a statement that failed`)
      if (isUnfinished && isCommitted) {
        isFinishing = true
        await database.onceCommitted(
          async (later) => void (await later.query(finishResponse, [...row, text])),
        )
      }
      return result
    }, operation)
  } catch (error) {
    if (isFinishing) await ctx.database.query(forgetResponse, row)
    throw isUniqueViolation(error) ? new Failure(...generic.inProgress) : error
  }
}

const accountIn = (found: Claimed | undefined): (Claimed & AccountState) | undefined =>
  found && found.token_epoch !== null ? { ...found, token_epoch: found.token_epoch } : undefined

/** The children that a response is about. Throws when the caller may no longer have it. */
async function assertReached(
  { caller, ctx, roles, operation, getRawInput }: Call,
  database: Database,
  children: readonly number[],
): Promise<readonly ReachedAgain[]> {
  const { granted, rootUserId } = caller
  const date = today(ctx.timeZone)
  await operation.assertRepeatable?.({ database, rootUserId, today: date, rawInput: await getRawInput() })
  if (children.length === 0) return []
  const reached = await database.query(selectRoles, [children, rootUserId, date])
  const isAdmitted = ({ id, role }: ReachedAgain) =>
    role && roles.includes(role) && (!granted || granted.children.has(id))
  if (reached.filter(isAdmitted).length < children.length) throw new Failure(401, 'Not authorized user')
  return reached
}

/** The children that a response is about, and that the caller may reach after it. */
async function childrenToKeep(call: Call, database: Database, result: Result): Promise<readonly number[]> {
  if (call.roles.length === 0) return []
  const children = await call.reached()
  const ids = children.map(({ id }) => id)
  const mayHaveEnded = !result.ok || call.operation.method === 'DELETE'
  return mayHaveEnded || children.some(({ isAdmitted }) => !isAdmitted)
    ? stillReached(call, database, ids)
    : ids
}

async function stillReached(
  { caller, ctx, roles }: Call,
  database: Database,
  children: readonly number[],
): Promise<readonly number[]> {
  if (children.length === 0) return []
  try {
    const values = [children, caller.rootUserId, roles, today(ctx.timeZone)]
    const [found] = await database.query(selectReached, values)
    return found?.children ?? []
  } catch (error) {
    // Nothing of it will be committed.
    if (isOfFailedTransaction(error)) return []
    throw error
  }
}

/** Answers what was answered before. */
function replay(kept: Exclude<KeptResponse, { isInvalid: true }>, { request }: Context): ReplayedResponse {
  if ('status' in kept) throw new Failure(kept.status, kept.detail, { headers: kept.headers })
  for (const [name, value] of Object.entries(kept.headers)) request.responseHeader(name, value)
  return { marker: middlewareMarker, ok: true, data: kept.data }
}

/** What is kept of a result; undefined of one that a repeat may change. */
function responseOf(result: Result, sent: Record<string, string>): KeptResponse | undefined {
  if (result.ok) return { data: result.data, headers: sent }
  const { error } = result
  if (error instanceof Failure) {
    const { status, detail } = error
    return status < 500 && status !== 401 && status !== 429
      ? { status, detail, headers: { ...sent, ...error.headers } }
      : undefined
  }
  // The same input is not valid again, and gets the same list.
  return error instanceof InvalidInput || isOfSchema(error) ? { isInvalid: true } : undefined
}

const isOfSchema = (error: Error) =>
  Reflect.get(error, 'code') === 'BAD_REQUEST' && error.cause instanceof z.core.$ZodError

const parse = (text: string) => keptResponse.parse(JSON.parse(text))

/** JSON in which the order of keys does not count. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
