import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createBodyRateLimiter } from './slow-bodies.ts'

const SECOND = 1000

/** A body of which `come` brings more bytes, and a clock that `tick` moves on by a second, with its check. */
function setUp() {
  let now = performance.now()
  const bodies = createBodyRateLimiter({ bytesPerSecond: 1000, windowMs: 9 * SECOND, checkMs: SECOND })
  let ends = 0
  const request = Object.assign(new EventEmitter(), { readableLength: 0, socket: { bytesRead: 400 } })
  bodies.watch(request, () => (ends += 1))
  return {
    request,
    come: (bytes: number) => void (request.socket.bytesRead += bytes),
    tick: (seconds = 1) => {
      now += seconds * SECOND
      bodies.check(now)
    },
    ends: () => ends,
  }
}

test('a body that stops is ended once, within 10 s of its last byte', () => {
  const { come, tick, ends } = setUp()
  for (let second = 0; second < 30; second += 1) {
    come(5000)
    tick()
  }
  expect(ends()).toBe(0)
  let silent = 0
  while (ends() === 0) {
    silent += 1
    tick()
  }
  expect(silent).toBeLessThanOrEqual(10)
  for (let second = 0; second < 30; second += 1) tick()
  expect(ends()).toBe(1)
})

test.each([
  ['1 kB a second', 1, 1000],
  ['a packet every 1.46 s', 1.46, 1460],
  ['3 kB every 3 s', 3, 3000],
])('%s goes on for two minutes', (_pace, seconds, bytes) => {
  const { come, tick, ends } = setUp()
  for (let time = 0, sent = 0; time < 120; time += 1) {
    while ((sent + 1) * seconds <= time) {
      sent += 1
      come(bytes)
    }
    tick()
  }
  expect(ends()).toBe(0)
})

test.each([
  ['a byte a second', 1],
  ['half a kB a second', 500],
  ['0.8 kB a second', 800],
])('%s is ended within 10 s', (_pace, bytes) => {
  const { come, tick, ends } = setUp()
  for (let second = 0; second < 10; second += 1) {
    come(bytes)
    tick()
  }
  expect(ends()).toBe(1)
})

test('a body that has come whole is not watched any more', () => {
  const { request, tick, ends } = setUp()
  request.emit('close')
  for (let second = 0; second < 30; second += 1) tick()
  expect(ends()).toBe(0)
})

test('the time in which this process stands still, or does not read, does not count', () => {
  const { request, tick, ends } = setUp()
  tick(30)
  expect(ends()).toBe(0)
  request.readableLength = 65_536
  for (let second = 0; second < 30; second += 1) tick()
  expect(ends()).toBe(0)
  request.readableLength = 0
  for (let second = 0; second < 10; second += 1) tick()
  expect(ends()).toBe(1)
})
