import { callTRPCProcedure, initTRPC } from '@trpc/server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { trpcProcedureCaller } from './call-trpc-procedure.ts'

/*
 * Compares tRPC's own calls with ours on procedures unlike today's operations. test/contract/procedure-walk.test.ts
 * compares them on the operations themselves.
 */

interface Dependencies {
  from: string
}

const { procedure, router } = initTRPC.context<Dependencies>().create()
const ctx: Dependencies = { from: 'the caller' }

const failOnce = () => {
  let calls = 0
  return () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  }
}

const make = () => ({
  'a step that replaces a part of the context': procedure
    .use(({ next }) => next({ ctx: { from: 'the step' } }))
    .query(({ ctx }) => ctx),
  'a step that leaves all as it is': procedure
    .use(({ next }) => next())
    .input(z.object({ a: z.int() }))
    .query(({ ctx, input }) => ({ ctx, input })),
  'two inputs': procedure
    .input(z.object({ a: z.int() }))
    .input(z.object({ b: z.int().default(2) }))
    .query(({ input }) => input),
  'a step that takes the input away': procedure
    .input(z.object({ a: z.int() }))
    .use(({ next }) => next({ input: undefined }))
    .query(({ input }) => ({ input })),
  'a step that replaces what was sent': procedure
    .use(({ next }) => next({ getRawInput: async () => ({ a: 7 }) }))
    .input(z.object({ a: z.int() }))
    .query(({ input }) => input),
  'input that is not valid': procedure.input(z.object({ a: z.string() })).query(({ input }) => input),
  'output that is not valid': procedure.output(z.object({ a: z.string() })).query(() => JSON.parse('{}')),
  'a step that tries again': procedure
    .use(async ({ next }) => {
      const result = await next()
      return result.ok ? result : next()
    })
    .query(failOnce()),
  'a step that throws a text': procedure
    .use(() => {
      // oxlint-disable-next-line no-throw-literal, only-throw-error -- that is the case
      throw 'a text'
    })
    .query(() => 1),
  'an operation that throws an error': procedure.query(() => {
    throw new RangeError('too far')
  }),
})

const outcome = (response: Promise<unknown>) =>
  response.then(
    (data) => ({ data }),
    ({ name, code, message, cause }) => ({ name, code, message, cause: String(cause) }),
  )

test.each(Object.keys(make()))('%s', async (path) => {
  const input = { a: 1 }
  const [theirs, ours] = [router(make()), router(make())]
  const expected = callTRPCProcedure({
    router: theirs,
    path,
    type: 'query',
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  })
  const response = trpcProcedureCaller(Reflect.get(ours, path), { path, type: 'query' })(
    ctx,
    async () => input,
  )
  expect(await outcome(response)).toEqual(await outcome(expected))
})

test('an object that is no procedure of this version of tRPC is refused at the start', () => {
  expect(() => trpcProcedureCaller({}, { path: 'a.b', type: 'query' })).toThrow(
    'a.b is not a procedure as this version of tRPC builds them',
  )
})
