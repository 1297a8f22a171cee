import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exposedHeaders } from '@companion/server/http/server/security-headers.ts'
import { observedDirectory } from '../support/observed.ts'

/*
 * A page of another origin reads a header only if the service exposes it. All headers of all responses of the tests are
 * exposed, or one of these.
 */

const NOT_EXPOSED: Record<string, readonly string[]> = {
  'every page reads (Fetch, "CORS-safelisted response-header name")': [
    'cache-control',
    'content-language',
    'content-length',
    'content-type',
    'expires',
    'last-modified',
    'pragma',
  ],
  'the browser itself obeys': [
    'access-control-allow-headers',
    'access-control-allow-methods',
    'access-control-allow-origin',
    'access-control-expose-headers',
    'access-control-max-age',
    'content-security-policy',
    'cross-origin-resource-policy',
    'location',
    'referrer-policy',
    'set-cookie',
    'strict-transport-security',
    'vary',
    'x-content-type-options',
    'x-frame-options',
  ],
  'are for search engines': ['x-robots-tag'],
  'tell of the connection': ['connection', 'date', 'keep-alive', 'transfer-encoding'],
}

const seen = new Set(
  globSync(`${observedDirectory}*.headers`).flatMap((file) =>
    readFileSync(file, 'utf8').split('\n').filter(Boolean),
  ),
)

test.skipIf(seen.size === 0)('each header that an answer had is exposed to pages of other origins', () => {
  const known = new Set([...exposedHeaders.toLowerCase().split(', '), ...Object.values(NOT_EXPOSED).flat()])
  expect([...seen].filter((name) => !known.has(name)).toSorted()).toEqual([])
})
