import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, runInContext, Script } from 'node:vm'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { serviceInMemory } from '../../sdk/testing/service-in-memory.ts'
import { memoryStorage } from '../../sdk/src/index.ts'
import type { createCompanion } from '../../sdk/src/index.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { bundleSdk } from '../support/sdk-bundle.ts'
import { found, lacking, newerMembers, NODE_20, removal, SAFARI_16, usesOf } from './builtins.ts'
import type { Engine, Member } from './builtins.ts'
import { hermesInventory, TAKE_INVENTORY } from './hermes.ts'
import type { Inventory } from './hermes.ts'

const dist = join(inject('bundles'), '../package/dist')
let hermes: Inventory
beforeAll(async () => void (hermes = await hermesInventory(inject('bundles'))))

/** What a file uses where the engine has it: behind a test for the whole, which the script does not see. */
const GUARDED: Record<string, string[]> = {
  // Random keys come of `crypto` where there is one. Iterators have a second name where the symbol is not there.
  'React Native 0.76': ['getRandomValues', 'Symbol.asyncIterator'],
  // Files come by XMLHttpRequest where there is one.
  'Node.js 20': ['open', 'setRequestHeader', 'getResponseHeader', 'getAllResponseHeaders'],
}
/** Methods of what the app passes to a file, which have the names of others. */
const OF_THE_APP: Record<string, string[]> = { firmware: ['fetch', 'query', 'read', 'remove', 'save'] }
/** In parts of tRPC that the SDK never runs: subscriptions and streams. They come along in the build that bundles tRPC. */
const NEVER_RUN = new Set(['WebSocket', 'Symbol.asyncIterator', 'encode'])

/** Uses that an engine lacks, in a file of the package. */
async function lacks(file: string, engine: Engine): Promise<string[]> {
  const uses = usesOf(await readFile(join(dist, file), 'utf8'))
  expect(uses.length).toBeGreaterThan(20)
  const [entry = ''] = file.split('.')
  const guarded = new Set([...(GUARDED[engine.name] ?? []), ...(OF_THE_APP[entry] ?? [])])
  return lacking(uses, [engine]).filter((each) => {
    const name = each.slice(each.indexOf(' lacks ') + ' lacks '.length)
    return !guarded.has(name) && !(file === 'index.native.cjs' && NEVER_RUN.has(name))
  })
}

test.each(['index.js', 'index.cjs', 'index.native.cjs', 'firmware.js', 'firmware.cjs'])(
  '%s uses nothing that a phone lacks',
  async (file) => expect(await lacks(file, found('React Native 0.76', hermes))).toEqual([]),
)

test.each(['index.js', 'index.cjs', 'firmware.js', 'firmware.cjs', 'testing.js', 'testing.cjs'])(
  '%s uses nothing that Safari 16 or Node.js 20 lacks',
  async (file) => {
    expect(await lacks(file, SAFARI_16)).toEqual([])
    expect(await lacks(file, NODE_20)).toEqual([])
  },
)

describe.skipIf(hasNoBrowser)('in a worker', () => {
  let worker: Engine
  beforeAll(async () => {
    const browser = await openBrowser()
    const page = await browser.newPage()
    const inventory: string = await page.evaluate(`new Promise((resolve) => {
      const blob = new Blob([${JSON.stringify(`postMessage(${TAKE_INVENTORY})`)}], { type: 'text/javascript' })
      new Worker(URL.createObjectURL(blob)).onmessage = ({ data }) => resolve(data)
    })`)
    worker = found('A worker', JSON.parse(inventory))
    await browser.close()
  })
  test.each(['index.js', 'index.cjs', 'testing.js'])('%s uses nothing that only a page has', async (file) =>
    expect(await lacks(file, worker)).toEqual([]),
  )
})

test('a use that an engine lacks is named with the engine', () => {
  const uses = usesOf(`
    [3].toSorted(); found.findLast(Boolean); AbortSignal.any([]); structuredClone(1); list.at(-1)
    if (typeof localStorage !== 'undefined') localStorage.clear()`)
  expect(lacking(uses, [found('React Native 0.76', hermes), SAFARI_16, NODE_20])).toEqual([
    'React Native 0.76 lacks toSorted',
    'React Native 0.76 lacks AbortSignal.any',
    'React Native 0.76 lacks structuredClone',
    'Safari 16 lacks AbortSignal.any',
    'Node.js 20 lacks AbortSignal.any',
  ])
})

describe('without what is newer than the oldest engine', () => {
  type Sdk = { createCompanion: typeof createCompanion }
  let script: Script
  beforeAll(async () => void (script = new Script(`${await bundleSdk({ minify: true })}; sdk`)))

  /** A day of an app: sign-in, refresh, notes and logs that wait, a file, an error. */
  async function day(removed: readonly Member[]): Promise<void> {
    const service = serviceInMemory()
    service.instead = ({ path }) =>
      path.endsWith('/pdf/report')
        ? new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })
        : undefined
    const context = createContext({
      fetch: service.fetch,
      FormData,
      Blob,
      AbortController,
      setTimeout,
      clearTimeout,
      setInterval,
      clearInterval,
      console,
    })
    runInContext(removed.map(removal).join('\n'), context)
    const { createCompanion: create }: Sdk = script.runInContext(context)
    const companion = create({ baseUrl: 'https://companion.test', storage: memoryStorage() })
    await companion.auth.signIn({ username: 'parent@example.com', password: 'correct horse battery' })
    service.expireAccess()
    expect(await companion.account.me()).toMatchObject({ root_user_id: 7 })
    for (const memo of ['one', 'two', 'three'])
      await companion.outbox.saveEvent({ real_user_id: 1, created_at: '2026-03-01', memo })
    await companion.outbox.send()
    expect(await companion.outbox.list()).toEqual([])
    const report = { real_user_id: 1, basestation_id: 2, start_date: '2026-03-01', end_date: '2026-03-31' }
    expect(await companion.reports.pdf(report)).toMatchObject({ type: 'application/pdf' })
    await companion.session.signOut()
    await expect(companion.account.me()).rejects.toThrow('account.me: 401')
    expect(service.to('auth.refresh')).toHaveLength(1)
  }

  test('each method of the language alone, and all of them, an app goes through its day', async () => {
    const newer = newerMembers(runInContext('globalThis', createContext({})), hermes)
    expect(newer.map(({ owner, name }) => `${owner}.${name}`)).toEqual(
      expect.arrayContaining([
        'Array.toSorted',
        'Array.findLast',
        'Object.groupBy',
        'Promise.withResolvers',
        'Set.union',
      ]),
    )
    for (const each of newer) await day([each])
    await day(newer)
  })
})
