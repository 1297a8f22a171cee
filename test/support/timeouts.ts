import { onTestFinished, vi } from 'vitest'

/** Takes over, for one test, the time limits by which this process waits for others: they are over when the test says so. */
export function holdTimeouts(): { milliseconds: number[]; expire: () => void } {
  const milliseconds: number[] = []
  const time = new AbortController()
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((limit) => {
    milliseconds.push(limit)
    return time.signal
  })
  onTestFinished(() => spy.mockRestore())
  return { milliseconds, expire: () => time.abort(new DOMException('Time is up', 'TimeoutError')) }
}
