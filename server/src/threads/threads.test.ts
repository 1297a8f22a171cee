import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { createThreads } from './threads.ts'
import type { Bounds } from './threads.ts'

/** A worker script whose messages tell it how to behave. */
const SCRIPT = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', (told) => {
  if (told === 'hang') for (;;);
  if (told === 'fill') { const kept = []; for (;;) kept.push(new Array(100000).fill({})) }
  if (told === 'exit') process.exit(3)
  if (told === 'throw') throw new Error('thrown')
  if (told === 'fail') return parentPort.postMessage({ error: new Error('failed') })
  setTimeout(() => parentPort.postMessage({ answer: threadId }), told === 'slow' ? 200 : 0)
})`

const directory = mkdtempSync(join(tmpdir(), 'companion-threads-'))
const file = join(directory, 'worker.mjs')
writeFileSync(file, SCRIPT)
afterAll(() => rmSync(directory, { recursive: true }))

const bounded = (bounds: Partial<Bounds> = {}) => {
  const onThread = createThreads<string, number>({
    script: pathToFileURL(file),
    threads: 1,
    waiting: 2,
    retryAfterSeconds: 10,
    answerMs: 1500,
    idleMs: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
    ...bounds,
  })
  return (message: string) => onThread((ask) => ask(message))
}

describe('threads', () => {
  test('keeps its thread from one piece of work to the next', async () => {
    const run = bounded()
    const thread = await run('a')
    expect([await run('b'), await run('c')]).toEqual([thread, thread])
  })

  test.each([
    ['hang', 'A thread took longer than 1500 ms'],
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
    const onThread = createThreads<string, number>({
      script: pathToFileURL(file),
      threads: 1,
      waiting: 10,
      waitingOfOneParty: 2,
      retryAfterSeconds: 10,
      answerMs: 1500,
      idleMs: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    const run = (party: string) => onThread((ask) => ask('slow'), party)
    const outcomes = await Promise.allSettled(['a', 'a', 'a', 'a', 'b', 'a', 'b'].map(run))
    const [_1, _2, _3, fourth, _5, sixth] = outcomes
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([fourth, sixth])
    expect(await run('a')).toBeGreaterThan(0)
  })

  test('refuses what has waited too long, and what comes after it is served', async () => {
    const turn = Promise.withResolvers<void>()
    const onThread = createThreads<string, number>({
      script: pathToFileURL(file),
      threads: 1,
      waiting: 10,
      waitingMs: 50,
      retryAfterSeconds: 10,
      answerMs: 1500,
      idleMs: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    const first = onThread(() => turn.promise)
    await expect(onThread((ask) => ask('a'))).rejects.toMatchObject({ status: 429 })
    turn.resolve()
    await first
    expect(await onThread((ask) => ask('a'))).toBeGreaterThan(0)
  })

  test('refuses more than may wait, with the time after which to ask again', async () => {
    const run = bounded()
    const answers = await Promise.allSettled(['slow', 'a', 'b', 'c', 'd'].map(run))
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(answers[4]).toMatchObject({
      reason: { status: 429, detail: 'Too many requests', headers: { 'retry-after': '10' } },
    })
    expect(await run('e')).toBeTypeOf('number')
  })

  test('works on as much at once as there are threads', async () => {
    const run = bounded({ threads: 2 })
    const [one, other] = await Promise.all([run('slow'), run('slow')])
    expect(one).not.toBe(other)
  })

  test('ends a thread that has had no work for long', async () => {
    const run = bounded({ idleMs: 20 })
    const thread = await run('a')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await run('b')).not.toBe(thread)
  })
})
