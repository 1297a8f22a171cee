import { getTRPCErrorFromUnknown } from '@trpc/server'
import type { TRPCProcedureType } from '@trpc/server'
import type { Meta } from './context.ts'

interface Call {
  ctx: object
  input: unknown
  getRawInput: () => Promise<unknown>
}

type Result = { ok: true; data: unknown } | { ok: false; error: unknown }

/**
 * A step of a procedure, as tRPC builds it: a check, the parsing of input or output, and finally the operation itself.
 */
interface Step {
  (
    call: Call & {
      path: string
      type: TRPCProcedureType
      meta: Meta | undefined
      signal: undefined
      batchIndex: number
      next: (changes?: Partial<Call>) => Promise<Result>
    },
  ): Promise<Result>
  _type?: 'input' | 'output' | 'errors'
}

/**
 * Returns a function that calls a procedure step by step as tRPC does, but copies only what changed and skips
 * formatting errors for tRPC's wire: these took half the time of a small operation. Steps that judge a token come before the
 * one that asks for the input, which reads the body. The function rejects with a `TRPCError`. Throws `TypeError` if `procedure` is not built as this version of tRPC builds them.
 */
export function trpcProcedureCaller(
  procedure: object,
  { path, type }: { path: string; type: TRPCProcedureType },
): (ctx: object, getRawInput: () => Promise<unknown>) => Promise<unknown> {
  const { _def }: { _def?: { middlewares?: readonly Step[]; meta?: Meta } } = procedure
  if (!_def?.middlewares)
    throw new TypeError(`${path} is not a procedure as this version of tRPC builds them`)
  const { meta } = _def
  const steps = _def.middlewares.filter(({ _type }) => _type !== 'errors')

  const run = async (index: number, { ctx, input, getRawInput }: Call): Promise<Result> => {
    const step = steps[index]
    try {
      if (!step) throw new Error(`${path} ends without a result`)
      return await step({
        ctx,
        input,
        getRawInput,
        path,
        type,
        meta,
        signal: undefined,
        batchIndex: 0,
        next: (changes) =>
          run(index + 1, {
            ctx: changes?.ctx ? { ...ctx, ...changes.ctx } : ctx,
            input: changes && 'input' in changes ? changes.input : input,
            getRawInput: changes?.getRawInput ?? getRawInput,
          }),
      })
    } catch (cause) {
      return { ok: false, error: getTRPCErrorFromUnknown(cause) }
    }
  }

  return async (ctx, getRawInput) => {
    const result = await run(0, { ctx, input: undefined, getRawInput })
    if (!result.ok) throw result.error
    return result.data
  }
}
