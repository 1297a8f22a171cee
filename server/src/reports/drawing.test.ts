import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { createDrawing } from './drawing.ts'
import type { Report } from './report.ts'

/** A thread that does what the name of the child says. */
const SCRIPT = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', ({ child: { name } }) => {
  if (name === 'hang') for (;;);
  if (name === 'fill') { const kept = []; for (;;) kept.push(new Array(100000).fill({})) }
  if (name === 'exit') process.exit(3)
  if (name === 'throw') throw new Error('thrown')
  if (name === 'fail') return parentPort.postMessage({ error: new Error('failed') })
  setTimeout(() => parentPort.postMessage({ pdf: new Uint8Array([threadId]) }), name === 'slow' ? 200 : 0)
})`

const directory = mkdtempSync(join(tmpdir(), 'companion-drawing-'))
const file = join(directory, 'worker.mjs')
writeFileSync(file, SCRIPT)
afterAll(() => rmSync(directory, { recursive: true }))

const report = (name: string): Report => ({
  language: 'EN',
  madeAt: 0,
  timeZone: 'UTC',
  child: { name, birthdate: '2018-02-03', age: 8, gender: 'F' },
  station: 'BST-1',
  period: { first: '2026-10-01', last: '2026-10-02' },
  today: '2026-10-03',
  nights: [],
  figures: {
    nightsUsed: 0,
    nightsPossible: 0,
    nightsWithData: 0,
    meanTime: 0,
    totalTime: 0,
    meanIntensity: 0,
    meanMovement: 0,
    usualStart: undefined,
    contactFaults: 0,
    nightsWithFaults: 0,
  },
  events: [],
  surveys: [],
})

const bounded = (bounds: Parameters<typeof createDrawing>[0] = {}) => {
  const draw = createDrawing({
    script: pathToFileURL(file),
    workers: 1,
    waiting: 2,
    milliseconds: 1500,
    megabytes: 32,
    ...bounds,
  })
  return async (name: string) => (await draw(report(name)))[0]
}

describe('drawing', () => {
  test('keeps its thread from report to report', async () => {
    const draw = bounded()
    const thread = await draw('a')
    expect([await draw('b'), await draw('c')]).toEqual([thread, thread])
  })

  test.each([
    ['hang', 'A report took longer than 1500 ms'],
    ['fill', 'Worker terminated due to reaching memory limit: JS heap out of memory'],
    ['exit', 'A report ended its thread'],
    ['throw', 'thrown'],
    ['fail', 'failed'],
  ])(
    'a report that makes its thread %s fails alone, and the next one gets a new thread',
    async (name, message) => {
      const draw = bounded()
      const thread = await draw('a')
      const [failed, next] = await Promise.allSettled([draw(name), draw('b')])
      expect(failed).toMatchObject({ status: 'rejected', reason: expect.objectContaining({ message }) })
      expect(next).toMatchObject({ status: 'fulfilled' })
      expect(next).not.toMatchObject({ value: thread })
    },
  )

  test('refuses more than may wait, with the time after which to ask again', async () => {
    const draw = bounded()
    const answers = await Promise.allSettled(['slow', 'a', 'b', 'c', 'd'].map(draw))
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
    expect(await draw('e')).toBeTypeOf('number')
  })

  test('draws as many at once as there are threads', async () => {
    const draw = bounded({ workers: 2 })
    const [one, other] = await Promise.all([draw('slow'), draw('slow')])
    expect(one).not.toBe(other)
  })

  test('ends a thread that has had no work for long', async () => {
    const draw = bounded({ idleMilliseconds: 20 })
    const thread = await draw('a')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await draw('b')).not.toBe(thread)
  })
})
