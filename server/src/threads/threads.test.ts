import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createThreads } from './threads.ts'
import type { ThreadPoolOptions } from './threads.ts'

/** A worker script whose messages tell it how to behave. */
const SCRIPT = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', (told) => {
  if (told === 'hang') for (;;);
  if (told === 'fill') { const kept = []; for (;;) kept.push(new Array(100000).fill({})) }
  if (told === 'exit') process.exit(3)
  if (told === 'throw') throw new Error('thrown')
  if (told === 'fail') return parentPort.postMessage({ error: new Error('failed') })
  parentPort.postMessage({ result: threadId })
})`

const directory = mkdtempSync(join(tmpdir(), 'companion-threads-'))
const file = join(directory, 'worker.mjs')
writeFileSync(file, SCRIPT)
afterAll(() => rmSync(directory, { recursive: true }))

const bounds: ThreadPoolOptions = {
  script: pathToFileURL(file),
  threads: 1,
  waiting: 2,
  retryAfterSeconds: 10,
  timeoutMs: 600_000,
  idleMs: 30_000,
  resourceLimits: { maxOldGenerationSizeMb: 32 },
}

const bounded = (changed: Partial<ThreadPoolOptions> = {}) => {
  const onThread = createThreads<string, number>({ ...bounds, ...changed })
  return (message: string, party?: string) => onThread((ask) => ask(message), party)
}

describe('threads', () => {
  test('keeps its thread from one piece of work to the next', async () => {
    const run = bounded()
    const thread = await run('a')
    expect([await run('b'), await run('c')]).toEqual([thread, thread])
  })

  test.each([
    ['fill', 'Worker terminated due to reaching memory limit: JS heap out of memory'],
    ['exit', 'A thread has ended in the middle of its work'],
    ['throw', 'thrown'],
    ['fail', 'failed'],
  ])(
    'work that makes its thread %s fails alone, and the next one gets a new thread',
    async (told, message) => {
      const run = bounded()
      const thread = await run('a')
      const [failed, next] = await Promise.allSettled([run(told), run('b')])
      expect(failed).toMatchObject({ status: 'rejected', reason: expect.objectContaining({ message }) })
      expect(next).toMatchObject({ status: 'fulfilled' })
      expect(next).not.toMatchObject({ value: thread })
    },
  )

  test('refuses one party what it may not wait for, and nobody else', async () => {
    const run = bounded({ waiting: 10, waitingOfOneParty: 2 })
    const parties = ['a', 'a', 'a', 'a', 'b', 'a', 'b']
    const outcomes = await Promise.allSettled(parties.map((party) => run('work', party)))
    const refused = [...outcomes.entries()].filter(([, { status }]) => status === 'rejected')
    expect(refused.map(([n]) => n)).toEqual([3, 5])
    expect(await run('work', 'a')).toBeTypeOf('number')
  })

  test('refuses what has waited too long, and serves what comes after it', async () => {
    const onThread = createThreads<string, number>({ ...bounds, waitingMs: 50 })
    const release = Promise.withResolvers<void>()
    const first = onThread(() => release.promise)
    await expect(onThread((ask) => ask('a'))).rejects.toMatchObject({ status: 429 })
    release.resolve()
    await first
    expect(await onThread((ask) => ask('a'))).toBeTypeOf('number')
  })

  test('work that makes its thread hang fails too', async () => {
    const run = bounded({ timeoutMs: 1000 })
    // A thread may start slowly on a busy machine.
    const inTime = (told: string) => vi.waitFor(() => run(told), 120_000)
    const thread = await inTime('a')
    await expect(run('hang')).rejects.toThrow('A thread took longer than 1000 ms')
    expect(await inTime('b')).not.toBe(thread)
  })

  test('refuses more than may wait, with the time after which to ask again', async () => {
    const run = bounded()
    const responses = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((message) => run(message)))
    expect(responses.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(responses[4]).toMatchObject({
      reason: { status: 429, detail: 'Too many requests', headers: { 'retry-after': '10' } },
    })
    expect(await run('f')).toBeTypeOf('number')
  })

  test('works on as much at once as there are threads', async () => {
    const run = bounded({ threads: 2 })
    const [one, other] = await Promise.all([run('a'), run('b')])
    expect(one).not.toBe(other)
  })

  test('ends a thread that has had no work for long', async () => {
    const run = bounded({ idleMs: 20 })
    const ended = new Promise((resolve) => {
      process.once('worker', (worker) => worker.once('exit', resolve))
    })
    const thread = await run('a')
    await ended
    expect(await run('b')).not.toBe(thread)
  })
})
