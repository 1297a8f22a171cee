import { TRPCError } from '@trpc/server'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { InvalidInput, issueTypes, validationIssues } from './validation-issues.ts'

const schema = z.object({
  count: z.int().min(1).max(9),
  list: z.array(z.object({ kind: z.enum(['a', 'b']) })).max(2),
  when: z.guid(),
  password: z.string().min(8),
  nested: z.object({ token: z.string() }),
})

const issuesOf = (input: unknown, ...place: [] | [(path: string[]) => string[]]) => {
  const { error } = schema.safeParse(input)
  const cause = new TRPCError({ code: 'BAD_REQUEST', cause: error })
  return validationIssues(cause, input, 'https://api.example.com', ...place) ?? []
}

const fine = {
  count: 1,
  list: [],
  when: '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13',
  password: 'x'.repeat(8),
  nested: { token: 'x' },
}

test('an issue has all six keys, and strings alone in its loc', () => {
  expect(issuesOf({ ...fine, list: [{ kind: 'a' }, { kind: 'c' }] })).toEqual([
    {
      type: 'invalid_value',
      loc: ['body', 'list', '1', 'kind'],
      msg: expect.any(String),
      input: 'c',
      ctx: { error: expect.any(String) },
      url: 'https://api.example.com/docs/errors#invalid_value',
    },
  ])
})

test.each([
  [{ ...fine, count: undefined }, 'missing'],
  [{ ...fine, count: null }, 'invalid_type'],
  [{ ...fine, count: 0 }, 'too_small'],
  [{ ...fine, count: 10 }, 'too_big'],
  [{ ...fine, list: [1, 2, 3] }, 'too_big'],
  [{ ...fine, when: 'x' }, 'invalid_format'],
  ['text', 'invalid_type'],
  [undefined, 'missing'],
])('%j is %s', (input, type) => {
  expect(issuesOf(input)[0]?.type).toBe(type)
})

test('the caller decides the place', () => {
  const [issue] = issuesOf({ ...fine, count: 0 }, (path) => ['query', ...path])
  expect(issue?.loc).toEqual(['query', 'count'])
})

test('a header is named as such', () => {
  const error = new InvalidInput(['Idempotency-Key'], 'too short', 'header')
  expect(validationIssues(error, {}, '')).toMatchObject([
    { type: 'invalid', loc: ['header', 'Idempotency-Key'], msg: 'too short', input: null },
  ])
})

test('no input makes an issue repeat a secret or have an unexplained type', () => {
  const secret = 'Sup3r-secret'
  const value = fc.oneof(
    fc.anything({ maxDepth: 1 }),
    fc.constantFrom(secret, [secret], { [secret]: secret }),
  )
  fc.assert(
    fc.property(value, value, (password, token) => {
      const issues = [
        ...issuesOf({ ...fine, password }),
        ...issuesOf({ ...fine, nested: { token } }),
        ...issuesOf(token),
      ]
      expect(JSON.stringify(issues)).not.toContain(secret)
      for (const { type } of issues) expect(issueTypes).toHaveProperty(type)
    }),
  )
})

test('a repeated input is short and well formed', () => {
  const [issue] = issuesOf({ ...fine, when: `\uD800${'x'.repeat(10_000)}` })
  expect(String(issue?.input)).toHaveLength(200)
  expect(String(issue?.input).isWellFormed()).toBe(true)
})

test('other errors have no issues, nor has an output that does not fit', () => {
  const { error } = schema.safeParse({})
  expect(validationIssues(new Error('x'), {}, '')).toBeUndefined()
  expect(validationIssues(error, {}, '')).toBeUndefined()
  expect(validationIssues(new TRPCError({ code: 'BAD_REQUEST' }), {}, '')).toBeUndefined()
  const output = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })
  expect(validationIssues(output, {}, '')).toBeUndefined()
})
