import { createCompanion } from '@companion/sdk'
import { afterEach, expect, test, vi } from 'vitest'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'
import { liveRecords } from '../support/treatments.ts'

const server = useServer({ RATE_LIMITS: 'on' })
afterEach(() => void vi.useRealTimers())

test('the outbox waits as long as a 429 of the service says, and then delivers', async () => {
  // A device may upload 120 times a minute; of this one, three seconds are left.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:57Z') })
  const { email, token } = await signUp(server)
  const { unique_id } = await addChild(server, token)
  const attempts: string[] = []
  const companion = createCompanion({
    baseUrl: server.url,
    fetch: async (url, init) => {
      const isUpload = new Request(url).url.includes('devlogs.upload')
      if (isUpload) attempts.push(new Date().toISOString())
      const response = await fetch(url, init)
      // From now on time passes.
      if (isUpload) vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true, now: Date.now() })
      return response
    },
  })
  await companion.auth.signIn({ username: email, password: PASSWORD })
  const item = devlogItem(unique_id, '2026-03-01T10:00:00')
  const responses = []
  // Not all at once: the service lets few wait for one device, and not for long.
  for (let group = 0; group < 11; group++)
    responses.push(...(await Promise.all(Array.from({ length: 11 }, () => upload(server, [item])))))
  expect(tally(responses)).toEqual({ 200: 120, '429 Too many requests': 1 })

  const log = devlogItem(unique_id, '2026-03-01T11:00:00', { log_file_id: 2 })
  await companion.outbox.uploadDevlogs([{ ...log, detail_data: { ...log.detail_data, finish_flag: '1' } }])
  await expect.poll(() => companion.outbox.list()).toEqual([])
  expect(attempts).toEqual(['2026-03-01T12:00:57.000Z', expect.stringMatching(/^2026-03-01T12:0[1-9]/)])
  expect(await liveRecords(server, unique_id)).toEqual([
    '2026-03-01T10:00:00 #1 720s',
    '2026-03-01T11:00:00 #2 720s',
  ])
})
