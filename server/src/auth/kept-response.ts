import { createHash } from 'node:crypto'
import type { TRPCError } from '@trpc/server'
import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import'
import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { Failure } from '../errors/failure.ts'
import { keyErrors } from '../errors/generic.ts'
import type { Context } from '../http/context.ts'
import type { HeaderField, Operation } from '../http/endpoint.ts'
import type { Role } from '../http/right.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { today } from '../time/wall-clock.ts'
import type { Caller } from './caller.ts'

export const idempotencyKey = {
  description: `Made by the client for each change, and the same for each attempt at it: within 24 hours the service answers what it
answered first, with \`Idempotency-Replayed: true\`, and does nothing again.`,
  pattern: '^[!-~]{16,255}$',
  minLength: 16,
  maxLength: 255,
  examples: ['9b2f6f0e-5f0b-4d59-8a53-6f1f3f3c2a11'],
} satisfies HeaderField

const KEY = new RegExp(idempotencyKey.pattern)

const KEPT = 'kept_response.response'

const selectKept = statement<{
  is_free: boolean
  input_hash: Buffer | null
  response: string | null
  children: number[] | null
  is_allowed: boolean | null
}>('kept-response', 'SELECT * FROM kept_response_of($1, $2, $3, $4, $5, $6)')

const keep = statement<never>(
  'keep-response',
  `INSERT INTO kept_response (root_user_id, client_id, key_hash, input_hash, response, children, created_at)
   VALUES ($1, $2, $3, $4, $5, CASE $6::int[] WHEN '{}' THEN '{}' ELSE children_reached($6, $1, $7, $8) END, now())`,
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
  operation: Pick<Operation, 'headers' | 'waits'>
  /** Those that it admits, if it refuses others. */
  roles: readonly Role[]
  /** The children that it has reached. */
  reached: () => Promise<readonly number[]>
  /** Told of the children that an earlier response is about, before that is answered. */
  replayed: (children: readonly number[]) => void
  getRawInput: () => Promise<unknown>
}

export type Replay = { readonly marker: typeof middlewareMarker; ok: true; data: unknown }

/**
 * Runs a call that has an `Idempotency-Key` in one transaction, with the row that keeps its response; the same call again gets that
 * response. See docs/decisions/repeatable-writes.md.
 */
export async function oncePerKey<
  Result extends { ok: true; data: unknown } | { ok: false; error: TRPCError },
>(
  call: Call,
  proceed: (ctx: Pick<Context, 'database' | 'request'>) => Promise<Result>,
): Promise<Result | Replay> {
  const { ctx, caller, operation, path, roles } = call
  const key = ctx.request.headers['idempotency-key']
  if (key === undefined) return proceed(ctx)
  if (typeof key !== 'string' || !KEY.test(key))
    throw new InvalidInput(['Idempotency-Key'], 'must be 16 to 255 visible ASCII characters', 'header')
  const ifMatch = operation.headers?.['If-Match'] && ctx.request.headers['if-match']
  const input = canonical([await call.getRawInput(), ifMatch ?? null])
  const inputHash = ctx.keys.hash('input', input)
  const keyHash = createHash('sha256').update(`${path} ${key}`).digest()
  const who = [caller.rootUserId, caller.granted?.clientId ?? 0, keyHash]
  const lockId = createHash('sha256').update(who.join()).update(keyHash).digest().readBigInt64BE()
  const rights = [roles, today(ctx.timeZone)]
  return ctx.database.together(async ({ database, commit, rollback }) => {
    const [found] = await database.query(selectKept, [...who, String(lockId), ...rights])
    if (!found?.is_free) throw new Failure(...keyErrors.inProgress)
    const { input_hash, response, children, is_allowed } = found
    const earlier = response === null ? undefined : parse(database.keyRing.decrypt(KEPT, response))
    if (earlier) {
      if (!input_hash?.equals(inputHash)) throw new Failure(...keyErrors.otherInput)
      const isGranted = !caller.granted || children?.every((child) => caller.granted?.children.has(child))
      if (!is_allowed || !isGranted) throw new Failure(401, 'Not authorized user')
      ctx.request.responseHeader('Idempotency-Replayed', 'true')
      call.replayed(children ?? [])
      if (!('isInvalid' in earlier)) {
        await rollback()
        return replay(earlier, ctx)
      }
    }
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
      if (result.ok || result.error instanceof Failure) await commit()
      return result
    }
    const text = database.keyRing.encrypt(KEPT, JSON.stringify(kept))
    const isCommitted = await commit({
      statement: keep,
      values: [...who, inputHash, text, await call.reached(), ...rights],
    })
    if (result.ok && !isCommitted) throw new Error(`${path} has passed over a statement that failed`)
    return result
  }, operation)
}

/** Answers what was answered before. */
function replay(kept: Exclude<KeptResponse, { isInvalid: true }>, { request }: Context): Replay {
  if ('status' in kept) throw new Failure(kept.status, kept.detail, { headers: kept.headers })
  for (const [name, value] of Object.entries(kept.headers)) request.responseHeader(name, value)
  return { marker: middlewareMarker, ok: true, data: kept.data }
}

/** What is kept of a result; undefined of one that a repeat may change. */
function responseOf(
  result: { ok: true; data: unknown } | { ok: false; error: TRPCError },
  sent: Record<string, string>,
): KeptResponse | undefined {
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
