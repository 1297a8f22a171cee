import { createHmac, createSecretKey } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deriveKeys } from '../keys.ts'
import { verifiedClaims } from './signed-claims.ts'
import { createTokens } from './tokens.ts'

const tokens = createTokens(deriveKeys('a secret of at least thirty-two bytes, for sure'))
const foreign = createTokens(deriveKeys('another secret of at least thirty-two bytes'))
const NOW = 1_790_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})
const at = (seconds: number) => vi.setSystemTime((NOW + seconds) * 1000)

const caller = { rootUserId: 7, epoch: 3 }

test('the same pair is made of the same arguments, and another of any other', async () => {
  const pair = await tokens.issuePair(caller, 'id', NOW)
  expect(pair).toMatchObject({ expires_in: 900, refresh_expires_in: 1_209_600 })
  at(30)
  const again = await tokens.issuePair(caller, 'id', NOW)
  expect(again).toEqual({ ...pair, expires_in: 870, refresh_expires_in: 1_209_570 })
  const others = [
    await tokens.issuePair(caller, 'other', NOW),
    await tokens.issuePair(caller, 'id', NOW + 1),
    await tokens.issuePair({ ...caller, rootUserId: 8 }, 'id', NOW),
    await foreign.issuePair(caller, 'id', NOW),
  ]
  for (const other of others) expect(other.refresh_token).not.toBe(pair.refresh_token)
})

test('every token has an id of its own, also when several are issued in one second', async () => {
  const pairs = [await tokens.issuePair(caller, 'one', NOW), await tokens.issuePair(caller, 'two', NOW)]
  const issued = pairs.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
  expect(new Set(issued.map((token) => decodeJwt(token).jti ?? 'none')).size).toBe(4)
})

test('an access token says who it speaks for, for 900 seconds', async () => {
  const { access_token } = await tokens.issuePair(caller, 'id', NOW)
  for (const seconds of [0, 899]) {
    at(seconds)
    expect(await tokens.verifyAccess(access_token)).toEqual(caller)
  }
  at(900)
  expect(await tokens.verifyAccess(access_token)).toBe('expired')
  // Not remembered by another process.
  expect(
    await createTokens(deriveKeys('a secret of at least thirty-two bytes, for sure')).verifyAccess(
      access_token,
    ),
  ).toBe('expired')
})

test('the signatures of the tokens that came last are not checked again, and no more are remembered', async () => {
  const few = createTokens(deriveKeys('a secret of at least thirty-two bytes, for sure'), 2)
  // Claims are read when the signature was found right.
  const parse = vi.spyOn(JSON, 'parse')
  const checks = () => parse.mock.calls.filter(([text]) => text.includes('"epoch"')).length
  const given = await Promise.all(['a', 'b', 'c'].map((id) => few.issuePair(caller, id, NOW)))
  const [a = '', b = '', c = ''] = given.map(({ access_token }) => access_token)
  for (const token of [a, b, a, b]) expect(await few.verifyAccess(token)).toEqual(caller)
  expect(checks()).toBe(2)
  for (const token of [c, b, a]) expect(await few.verifyAccess(token)).toEqual(caller)
  expect(checks()).toBe(4)
  parse.mockRestore()
})

test('Web Crypto, which is slower, is not asked about a token in force', async () => {
  const checks = vi.spyOn(crypto.subtle, 'verify')
  const { access_token, refresh_token } = await tokens.issuePair(caller, 'id', NOW)
  expect(await tokens.verifyAccess(access_token)).toEqual(caller)
  expect(await tokens.verifyRefresh(refresh_token)).toEqual(caller)
  expect(checks).not.toHaveBeenCalled()
  checks.mockRestore()
})

test('what is said quickly of a token is what jose says', async () => {
  const key = createSecretKey(Buffer.alloc(32, 7))
  const claim = fc.record(
    {
      iss: fc.constantFrom('companion', 'another', 5),
      sub: fc.constantFrom('7', ''),
      iat: fc.constantFrom(NOW, 'x'),
      exp: fc.oneof(fc.integer({ min: NOW - 2, max: NOW + 2 }), fc.constant('x')),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      claim,
      fc.constantFrom('HS256', 'HS512'),
      fc.boolean(),
      async (claims, alg, isForeign) => {
        const signed = [{ alg, typ: 'JWT' }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')
        const signature = createHmac(alg.replace('HS', 'sha'), isForeign ? Buffer.alloc(32, 8) : key)
          .update(signed)
          .digest('base64url')
        const token = `${signed}.${signature}`
        const slow = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer: 'companion',
          requiredClaims: ['sub', 'iat', 'exp'],
        }).catch(() => undefined)
        expect(verifiedClaims(key, token)).toEqual(slow?.payload)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a refresh token lives 1,209,600 seconds, a valid_token 600', async () => {
  const { refresh_token } = await tokens.issuePair(caller, 'id', NOW)
  const valid = await tokens.issueValid('+821012345678')
  at(599)
  expect(await tokens.verifyValid(valid)).toEqual({
    phone: '+821012345678',
    tokenId: expect.any(String),
    expiresAt: new Date((NOW + 600) * 1000),
  })
  at(600)
  expect(await tokens.verifyValid(valid)).toBeUndefined()
  at(1_209_599)
  expect(await tokens.verifyRefresh(refresh_token)).toEqual(caller)
  at(1_209_600)
  expect(await tokens.verifyRefresh(refresh_token)).toBe('expired')
})

test('no kind passes for another, and none of another secret', async () => {
  const own = await tokens.issuePair(caller, 'id', NOW)
  const other = await foreign.issuePair(caller, 'id', NOW)
  const valid = [await tokens.issueValid('+821012345678'), await foreign.issueValid('+821012345678')]
  for (const token of [own.refresh_token, ...Object.values(other), ...valid].map(String)) {
    expect(await tokens.verifyAccess(token)).toBe('invalid')
  }
  for (const token of [own.access_token, ...Object.values(other), ...valid].map(String)) {
    expect(await tokens.verifyRefresh(token)).toBe('invalid')
  }
  for (const token of [...Object.values(own), ...Object.values(other), valid[1]].map(String)) {
    expect(await tokens.verifyValid(token)).toBeUndefined()
  }
})

test('a token with any letter changed is invalid', async () => {
  const { access_token } = await tokens.issuePair(caller, 'id', NOW)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
  await fc.assert(
    fc.asyncProperty(
      // The last letter carries bits that nobody reads.
      fc.nat({ max: access_token.length - 2 }),
      fc.constantFrom(...alphabet.split('')),
      async (position, letter) => {
        fc.pre(access_token[position] !== letter)
        const changed = access_token.slice(0, position) + letter + access_token.slice(position + 1)
        expect(await tokens.verifyAccess(changed)).toBe('invalid')
      },
    ),
  )
})

test('garbage is invalid, never an exception', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (token) => {
      expect(await tokens.verifyAccess(token)).toBe('invalid')
      expect(await tokens.verifyRefresh(token)).toBe('invalid')
      expect(await tokens.verifyValid(token)).toBeUndefined()
    }),
  )
})

test('a token holds no personal data', async () => {
  const { access_token, refresh_token } = await tokens.issuePair(caller, 'id', NOW)
  const claims = ['epoch', 'exp', 'iat', 'iss', 'jti', 'sub']
  expect(Object.keys(decodeJwt(access_token)).toSorted()).toEqual(claims)
  expect(Object.keys(decodeJwt(refresh_token)).toSorted()).toEqual(claims)
})
