import { afterEach, expect, test, vi } from 'vitest'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer({ SERVICE_TIME_ZONE: 'America/New_York' })
const PATH = '/api/v1/gamma/device/time'

afterEach(() => void vi.useRealTimers())

test('the time in UTC, and how far the service is ahead of it, in winter and in summer', async () => {
  for (const [utc, utc_offset_minutes] of [
    ['2026-11-22T03:04:05.678Z', -300],
    ['2026-07-22T03:04:05.000Z', -240],
  ] as const) {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(utc) })
    const { status, body, headers } = await server.get(PATH)
    expect({ status, body }).toEqual({ status: 200, body: { utc, utc_offset_minutes } })
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('east of Greenwich the offset is positive', async () => {
  const seoul = await startServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
  try {
    expect((await seoul.get(PATH)).body).toMatchObject({ utc_offset_minutes: 540 })
  } finally {
    await seoul.stop()
  }
})
