import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failureOf, patiently } from '../testing/settle.ts'
import { answer, cut, refuse, serviceInMemory, slowStorage } from '../testing/service-in-memory.ts'
import { createCompanion, isOutboxFull, isSignedOut, isStorageFailure } from './index.ts'
import type { Companion, Devlog, OutboxEvent } from './index.ts'

const credentials = { username: 'parent@example.com', password: 'correct horse battery' }
const note = (created_at: string, real_user_id = 1) => ({ real_user_id, created_at, memo: created_at })
const log = (unique_id: string, log_file_id: number): Devlog => ({
  unique_id,
  detail_data: {
    treatment_date: '2026-03-01T21:30:00',
    finish_flag: '1',
    last_intensity: 3,
    treatment_time: 60,
  },
  intensity_record: [],
  log_file_id,
})

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

function setUp({ tellsKeys = true } = {}) {
  const service = serviceInMemory()
  const storage = slowStorage()
  const events: OutboxEvent[] = []
  /** Starts the app. An app that ran before is killed: it neither hears from the network nor writes any more. */
  let started = 0
  const open = () => {
    const mine = ++started
    const alive = () => mine === started
    const companion = createCompanion({
      baseUrl: 'https://companion.test',
      storage: {
        ...(tellsKeys ? storage : { getItem: (key: string) => storage.getItem(key) }),
        setItem: async (key, value) => (alive() ? storage.setItem(key, value) : undefined),
        removeItem: async (key) => (alive() ? storage.removeItem(key) : undefined),
      },
      fetch: async (url, init) => (alive() ? service.fetch(url, init) : new Promise(() => {})),
    })
    companion.outbox.subscribe((event) => {
      if (alive()) events.push(event)
    })
    return companion
  }
  const notes = () => service.to('calendar.saveEvent').map(({ input }) => Reflect.get(Object(input), 'memo'))
  /** Of the two accounts; whose turn it is to send is kept beside them. */
  const boxKeys = () =>
    [...storage.items.keys()].filter((key) => /^companion\.outbox\..*\.[78](\.|$)/.test(key))
  return { service, storage, events, open, notes, boxKeys }
}

async function signedIn(options: { tellsKeys?: boolean } = {}) {
  const all = setUp(options)
  const companion = all.open()
  await patiently(companion.auth.signIn(credentials))
  return { ...all, companion }
}

const settled = async (companion: Companion) => {
  await patiently(companion.outbox.send())
  return patiently(companion.outbox.list())
}
const types = (events: OutboxEvent[]) =>
  events.map(({ type, waiting, rejected }) => [type, waiting, rejected])

test('a note is saved before it is sent, and gone after its response', async () => {
  const { companion, service, storage, events, boxKeys } = await signedIn()
  let kept = ''
  service.instead = () => {
    kept = [...storage.items.values()].join()
    return undefined
  }
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  expect(await settled(companion)).toEqual([])
  expect(kept).toContain('"memo":"2026-03-01"')
  expect(boxKeys()).toEqual([])
  expect(types(events)).toEqual([
    ['queued', 1, 0],
    ['sent', 0, 0],
  ])
})

test('notes of a child keep their order when requests or answers are lost', async () => {
  const { companion, service, notes } = await signedIn()
  let lost = 0
  service.onReturn = (_request, response) => (lost++ % 3 < 2 ? cut() : response)
  const days = ['2026-03-03', '2026-03-01', '2026-03-02']
  for (const day of days) await patiently(companion.outbox.saveEvent(note(day)))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await patiently(companion.outbox.list())).toEqual([])
  expect([...new Set(notes())]).toEqual(days)
  expect(notes()).toEqual([...notes()].toSorted((one, other) => days.indexOf(one) - days.indexOf(other)))
})

test('no note overtakes an earlier one of its child, however fast time goes while they are looked through', async () => {
  const { companion, service, notes } = await signedIn()
  let looks = 0
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + looks++)
  let responses = 0
  service.instead = ({ path }) =>
    path === 'calendar.saveEvent' && responses++ % 5 === 0 ? refuse(500, 'Internal server error.') : undefined
  const days = Array.from({ length: 300 }, (_, index) => String(index))
  await patiently(Promise.all(days.map((day) => companion.outbox.saveEvent(note(day)))))
  await vi.advanceTimersByTimeAsync(600_000)
  vi.mocked(Date.now).mockRestore()
  expect(await patiently(companion.outbox.list())).toEqual([])
  expect([...new Set(notes())]).toEqual(days)
})

test('later changes by the app to its objects change nothing', async () => {
  const { companion, service } = await signedIn()
  const draft = { real_user_id: 1, created_at: '2026-03-01', event_data: { medication: [], hospital: ['A'] } }
  const saved = companion.outbox.saveEvent(draft)
  draft.real_user_id = 2
  await patiently(saved)
  draft.event_data.hospital.length = 0
  await settled(companion)
  expect(service.to('calendar.saveEvent').map(({ input }) => input)).toEqual([
    { real_user_id: 1, created_at: '2026-03-01', event_data: { medication: [], hospital: ['A'] } },
  ])
})

test('an item that is no note is refused, and holds up nothing', async () => {
  const { companion, notes } = await signedIn()
  // @ts-expect-error a program without types may call it like this
  expect(await failureOf(companion.outbox.saveEvent(null))).toBeInstanceOf(TypeError)
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  expect(await settled(companion)).toEqual([])
  expect(notes()).toEqual(['2026-03-01'])
})

test.each([7_200_000, 365 * 86_400_000])('a clock that is put back %d ms holds up nothing', async (back) => {
  const { companion, service, notes } = await signedIn()
  service.instead = ({ path }) => (path === 'calendar.saveEvent' ? refuse(500, 'Internal') : undefined)
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await vi.advanceTimersByTimeAsync(60_000)
  vi.setSystemTime(Date.now() - back)
  const before = notes().length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(notes().length - before).toBeGreaterThan(0)
  expect(notes().length - before).toBeLessThan(20)
  service.instead = () => undefined
  expect(await settled(companion)).toEqual([])
})

test('a note that alone gets no response holds up no other child', async () => {
  const { companion, service, notes } = await signedIn()
  service.instead = ({ input }) =>
    Reflect.get(Object(input), 'real_user_id') === 1
      ? new Response('Bad Gateway', { status: 502 })
      : undefined
  await patiently(companion.outbox.saveEvent(note('2026-03-01', 1)))
  await patiently(companion.outbox.saveEvent(note('2026-03-02', 2)))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(notes()).toContain('2026-03-02')
  expect(await patiently(companion.outbox.list())).toMatchObject([{ input: note('2026-03-01', 1) }])
})

test('send() waits as long as was asked for and no longer, however long its own pause has grown', async () => {
  const { companion, service, notes } = await signedIn()
  service.instead = ({ path }) =>
    path === 'calendar.saveEvent' ? refuse(429, 'Too many requests', { 'retry-after': '10' }) : undefined
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  while (notes().length < 10) await vi.advanceTimersByTimeAsync(500)
  await settled(companion)
  expect(notes()).toHaveLength(10)
  await vi.advanceTimersByTimeAsync(13_000)
  await settled(companion)
  expect(notes()).toHaveLength(11)
})

test('send() waits for no pause but one that was asked for', async () => {
  const { companion, service, notes } = await signedIn()
  service.instead = ({ path }) => (path === 'calendar.saveEvent' ? refuse(500, 'Internal') : undefined)
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await vi.advanceTimersByTimeAsync(60_000)
  service.instead = ({ path }) =>
    path === 'calendar.saveEvent' ? refuse(429, 'Too many requests', { 'retry-after': '600' }) : undefined
  const before = notes().length
  await settled(companion)
  expect(notes()).toHaveLength(before + 1)
  service.instead = () => undefined
  await settled(companion)
  expect(notes()).toHaveLength(before + 1)
})

test('a killed app that starts without network goes on by itself', async () => {
  const { companion, service, open, notes } = await signedIn()
  service.instead = cut
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  open()
  await vi.advanceTimersByTimeAsync(20_000)
  service.instead = () => undefined
  const before = notes().length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(notes()).toHaveLength(before + 1)
})

test('logs that are too many for the link go in smaller parts, and in larger ones again', async () => {
  const { companion, service } = await signedIn()
  const sizes: number[] = []
  let most = 10
  service.instead = ({ path, input }) => {
    if (path !== 'devlogs.upload') return undefined
    const { length } = Object(input).items
    sizes.push(length)
    return length > most ? cut() : undefined
  }
  await patiently(companion.outbox.uploadDevlogs(Array.from({ length: 400 }, (_, id) => log('a', id))))
  await vi.advanceTimersByTimeAsync(2500)
  expect(sizes.slice(0, 4)).toEqual([50, 25, 12, 6])
  most = 0
  await vi.advanceTimersByTimeAsync(120_000)
  expect(sizes.at(-1)).toBe(1)
  most = 50
  await vi.advanceTimersByTimeAsync(600_000)
  expect(await patiently(companion.outbox.list())).toEqual([])
  const again = sizes.slice(sizes.lastIndexOf(1))
  expect(again.slice(0, 5)).toEqual([1, 2, 3, 4, 5])
})

test('a long outbox is kept by a storage that does one thing at a time', async () => {
  const { companion, service, storage, open } = await signedIn()
  service.instead = cut
  let last = Promise.resolve()
  const inTurn = () => (last = last.then(() => new Promise((resolve) => setTimeout(resolve, 20))))
  storage.getItem = (key) => inTurn().then(() => storage.items.get(key) ?? null)
  storage.setItem = (key, value) => inTurn().then(() => void storage.items.set(key, value))
  storage.removeItem = (key) => inTurn().then(() => void storage.items.delete(key))
  await patiently(companion.outbox.uploadDevlogs(Array.from({ length: 1900 }, (_, id) => log('a', id))))
  const { outbox } = open()
  const kept = await patiently(outbox.list())
  expect(kept).toHaveLength(1900)
  await patiently(outbox.remove(kept))
  expect(await patiently(outbox.list())).toEqual([])
})

test('without network the pauses grow to five minutes, and any response ends them', async () => {
  const { companion, service, events } = await signedIn()
  service.instead = cut
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await vi.advanceTimersByTimeAsync(3_600_000)
  // After 15 minutes the access token has expired, so the refresh fails instead of the call.
  const attempts = service.sent.length - 1
  expect(attempts).toBeGreaterThan(20)
  expect(attempts).toBeLessThan(60)
  expect(events.at(-1)).toMatchObject({ type: 'delayed', waiting: 1 })
  service.instead = () => undefined
  await patiently(companion.account.me())
  await vi.advanceTimersByTimeAsync(100)
  expect(await patiently(companion.outbox.list())).toEqual([])
})

test('a killed app goes on where it was, with the first call that is answered', async () => {
  const { companion, service, open, notes } = await signedIn()
  service.onReturn = ({ path }, response) =>
    path === 'calendar.saveEvent' ? new Promise<Response>(() => {}) : response
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await patiently(companion.outbox.saveEvent(note('2026-03-02')))
  await vi.advanceTimersByTimeAsync(1000)
  expect(notes()).toEqual(['2026-03-01'])
  const restarted = open()
  service.onReturn = (_request, response) => response
  await patiently(restarted.account.me())
  // The killed one still has the turn to send; it lapses.
  await vi.advanceTimersByTimeAsync(3000)
  expect(notes()).toEqual(['2026-03-01', '2026-03-01', '2026-03-02'])
  expect(await patiently(restarted.outbox.list())).toEqual([])
})

test('an app that is killed while a note is on its way sends it again under the same key', async () => {
  const { companion, service, open } = await signedIn()
  const keys = () =>
    service.to('calendar.saveEvent').map(({ headers }) => headers.get('idempotency-key') ?? '')
  service.onReturn = ({ path }, response) =>
    path === 'calendar.saveEvent' ? new Promise<Response>(() => {}) : response
  for (const day of ['2026-03-01', '2026-03-02']) await patiently(companion.outbox.saveEvent(note(day)))
  await vi.advanceTimersByTimeAsync(1000)
  expect(keys()).toEqual([expect.stringMatching(/^[!-~]{16,255}$/)])
  service.onReturn = (_request, response) => response
  const restarted = open()
  await patiently(restarted.account.me())
  await vi.advanceTimersByTimeAsync(3000)
  const [killed, first, second] = keys()
  expect(first).toBe(killed)
  expect(second).not.toBe(first)

  // Another attempt by hand is another request.
  service.instead = ({ path }) =>
    path === 'calendar.saveEvent' ? refuse(400, 'Failed to store user event') : undefined
  await patiently(restarted.outbox.saveEvent(note('2026-03-03')))
  const rejected = await settled(restarted)
  service.instead = () => undefined
  await patiently(restarted.outbox.retry(rejected))
  await settled(restarted)
  expect(new Set(keys()).size).toBe(keys().length - 1)
})

test.each([
  [400, 'Failed to store user event'],
  [401, 'Not authorized user'],
  [404, 'Real User id is not valid'],
  [422, [{ type: 'too_long', loc: ['body', 'memo'] }]],
])('a note refused with %i is rejected with its error, and blocks none', async (status, detail) => {
  const { companion, service, events, open, notes } = await signedIn()
  service.instead = ({ input }) =>
    Reflect.get(Object(input), 'memo') === '2026-03-01' ? refuse(status, detail) : undefined
  for (const day of ['2026-03-01', '2026-03-02']) await patiently(companion.outbox.saveEvent(note(day)))
  const [refused, ...others] = await settled(companion)
  const error = { status, detail: typeof detail === 'string' ? detail : JSON.stringify(detail) }
  expect(refused).toMatchObject({ kind: 'event', input: note('2026-03-01'), error })
  expect(others).toEqual([])
  expect(notes()).toEqual(['2026-03-01', '2026-03-02'])
  expect(events.find(({ type }) => type === 'rejected')?.items).toEqual([refused])
  expect(types(events).at(-1)).toEqual(['sent', 0, 1])

  const restarted = open()
  expect(await settled(restarted)).toEqual([refused])
  service.instead = () => undefined
  await patiently(restarted.outbox.retry([refused].flatMap((item) => item ?? [])))
  expect(await settled(restarted)).toEqual([])
  expect(types(events).slice(-2)).toEqual([
    ['queued', 1, 0],
    ['sent', 0, 0],
  ])
  expect(notes()).toEqual(['2026-03-01', '2026-03-02', '2026-03-01'])
})

test.each([
  [500, 'Internal server error. Please try again later.'],
  [503, 'Part of the service is not available. Please try again later.'],
  [429, 'Too many requests'],
  [404, 'Resource not found'],
  [401, 'Token is expired'],
  // Responses of a server without this operation, of a proxy before it, or of the service to a body that was cut on the way.
  [400, 'Bad Request'],
  [400, 'Request body is not valid JSON'],
  [403, 'Forbidden'],
  [413, 'Request body is too large'],
  [422, 'Unprocessable'],
])('a note answered with %i %s waits with its child, and no other child does', async (status, detail) => {
  const { companion, service, notes } = await signedIn()
  service.instead = ({ input }) =>
    Reflect.get(Object(input), 'real_user_id') === 1 ? refuse(status, detail) : undefined
  await patiently(companion.outbox.saveEvent(note('2026-03-01', 1)))
  await patiently(companion.outbox.saveEvent(note('2026-03-02', 1)))
  await patiently(companion.outbox.saveEvent(note('2026-03-03', 2)))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(new Set(notes())).toEqual(new Set(['2026-03-01', '2026-03-03']))
  expect(await patiently(companion.outbox.list())).toHaveLength(2)
  service.instead = () => undefined
  await vi.advanceTimersByTimeAsync(20_000)
  expect(notes().slice(-2)).toEqual(['2026-03-01', '2026-03-02'])
  expect(await patiently(companion.outbox.list())).toEqual([])
})

test.each([
  ['the service refuses with 429', () => refuse(429, 'Too many requests', { 'retry-after': '60' })],
  [
    'a proxy answers 503 in its place',
    () => new Response('<h1>Back soon</h1>', { status: 503, headers: { 'retry-after': '60' } }),
  ],
])('when %s, nothing is tried again before the time it asks for', async (_who, busy) => {
  const { companion, service, notes } = await signedIn()
  service.instead = busy
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(notes()).toEqual(['2026-03-01'])
  service.instead = () => undefined
  await vi.advanceTimersByTimeAsync(16_000)
  expect(notes()).toEqual(['2026-03-01', '2026-03-01'])
  expect(await patiently(companion.outbox.list())).toEqual([])
})

test('logs of a device go together, and a bad one is rejected alone', async () => {
  const { companion, service } = await signedIn()
  service.instead = ({ path, input }) => {
    if (path !== 'devlogs.upload') return undefined
    const { items } = Object(input)
    const results = items.map((item: Devlog, index: number) =>
      item.log_file_id === 3
        ? { index, status: 'rejected', detail: 'Not Connected Device' }
        : { index, status: 'stored' },
    )
    return answer({ statusCode: 200, message: '', results })
  }
  await patiently(
    companion.outbox.uploadDevlogs([1, 2, 3, 4].flatMap((id) => [log('a', id), log('b', id + 10)])),
  )
  const left = await settled(companion)
  expect(left).toMatchObject([{ input: { log_file_id: 3 }, error: { detail: 'Not Connected Device' } }])
  const sent = service.to('devlogs.upload')
  expect(sent.map(({ headers }) => headers.get('prefer'))).toEqual(['handling=lenient', 'handling=lenient'])
  expect(sent.map(({ input }) => Object(input).items.map((item: Devlog) => item.log_file_id))).toEqual([
    [1, 2, 3, 4],
    [11, 12, 13, 14],
  ])
  await patiently(companion.outbox.remove(left))
  expect(await patiently(companion.outbox.list())).toEqual([])
})

test('reports about firmware keep their order for each device, and one that will never be taken holds up no other', async () => {
  const { companion, service } = await signedIn()
  let lost = 0
  service.onReturn = ({ path }, response) => (path === 'firmware.report' && lost++ < 2 ? cut() : response)
  service.instead = ({ path, input }) =>
    path === 'firmware.report' && Object(input).device_id === 2
      ? refuse(404, 'Firmware not found')
      : undefined
  const report = (device_id: number, outcome: 'started' | 'installed') =>
    patiently(companion.outbox.reportFirmware({ device_id, firmware_id: 13, outcome }))
  await report(1, 'started')
  await report(2, 'started')
  await report(1, 'installed')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await patiently(companion.outbox.list())).toMatchObject([
    { kind: 'firmware', input: { device_id: 2 }, error: { status: 404, detail: 'Firmware not found' } },
  ])
  const outcomes = service
    .to('firmware.report')
    .flatMap(({ input }) => (Object(input).device_id === 1 ? [Object(input).outcome] : []))
  expect([...new Set(outcomes)]).toEqual(['started', 'installed'])
  expect(outcomes.lastIndexOf('started')).toBeLessThan(outcomes.indexOf('installed'))
})

test('nothing is sent after a sign-out, and only the same account goes on', async () => {
  const { companion, service, notes, boxKeys } = await signedIn()
  service.instead = cut
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await patiently(companion.outbox.uploadDevlogs([log('a', 1)]))
  await patiently(companion.session.signOut())
  service.instead = () => undefined
  const before = service.sent.length
  await vi.advanceTimersByTimeAsync(600_000)
  expect(service.sent).toHaveLength(before)
  expect(isSignedOut(await failureOf(companion.outbox.saveEvent(note('2026-03-02'))))).toBe(true)

  service.account = 8
  await patiently(companion.auth.signIn(credentials))
  await patiently(companion.outbox.saveEvent(note('2026-03-08')))
  expect(await settled(companion)).toEqual([])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(new Set(notes())).toEqual(new Set(['2026-03-01', '2026-03-08']))
  const others = service.sent.slice(before).map(({ path }) => path)
  expect(others).toEqual(['auth.signIn', 'calendar.saveEvent'])

  service.account = 7
  await patiently(companion.auth.signIn(credentials))
  await vi.advanceTimersByTimeAsync(1000)
  expect(
    service.sent
      .slice(before)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['auth.signIn', 'auth.signIn', 'calendar.saveEvent', 'calendar.saveEvent', 'devlogs.upload'])
  expect(await patiently(companion.outbox.list())).toEqual([])
  expect(boxKeys()).toEqual([])
})

test.each([
  ['note', (companion: Companion) => companion.outbox.saveEvent(note('2026-03-01'))],
  ['log', (companion: Companion) => companion.outbox.uploadDevlogs([log('a', 1)])],
])(
  "a %s on its way while another account signs in is not sent in that account's name",
  async (_what, put) => {
    const { companion, service, storage, open } = await signedIn()
    service.instead = cut
    await patiently(put(companion))
    const { getItem } = storage
    storage.getItem = async (key) => {
      if (key.includes('outbox')) await new Promise((resolve) => setTimeout(resolve, 1000))
      return getItem(key)
    }
    const restarted = open()
    const before = service.sent.length
    service.instead = () => undefined
    const sending = restarted.outbox.send()
    await vi.advanceTimersByTimeAsync(100)
    service.account = 8
    await patiently(restarted.auth.signIn(credentials))
    await patiently(sending)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(service.sent.slice(before).map(({ path }) => path)).toEqual(['auth.signIn'])

    service.account = 7
    await patiently(restarted.auth.signIn(credentials))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await patiently(restarted.outbox.list())).toEqual([])
  },
)

describe.each([true, false])('with a storage that tells its keys: %s', (tellsKeys) => {
  const signedInOver = () => signedIn({ tellsKeys })

  test('a deleted account leaves nothing behind, nor what an app was killed in saving', async () => {
    const { companion, service, storage, open, boxKeys } = await signedInOver()
    service.instead = ({ path }) => (path === 'calendar.saveEvent' ? cut() : undefined)
    await patiently(companion.outbox.saveEvent(note('2026-03-01')))
    const { setItem } = storage
    storage.setItem = async (key, value) => {
      if (value.includes('2026-03-02')) await new Promise(() => {})
      await setItem(key, value)
    }
    void companion.outbox.saveEvent(note('2026-03-02'))
    await vi.advanceTimersByTimeAsync(1000)
    storage.setItem = setItem
    await patiently(open().account.delete())
    await vi.advanceTimersByTimeAsync(1000)
    expect(boxKeys()).toEqual([])
  })

  test('an item that cannot be read holds up no other', async () => {
    const { companion, service, storage, open, boxKeys } = await signedInOver()
    service.instead = cut
    for (const day of ['2026-03-01', '2026-03-02', '2026-03-03'])
      await patiently(companion.outbox.saveEvent(note(day)))
    const [, second = ''] = boxKeys()
      .filter((key) => storage.items.get(key)?.includes('memo'))
      .toSorted()
    storage.items.set(second, '{"id":')
    const restarted = open()
    const left = await patiently(restarted.outbox.list())
    expect(left.map(({ input }) => input)).toEqual([note('2026-03-01'), note('2026-03-03')])
    service.instead = () => undefined
    expect(await settled(restarted)).toEqual([])
  })

  test('a note that could not be saved is not sent, nor are the logs that were saved beside one that was not', async () => {
    const { companion, service, storage } = await signedInOver()
    const { setItem } = storage
    storage.setItem = async (key, value) => {
      if (value.includes('"log_file_id":3')) throw new Error('full')
      await setItem(key, value)
    }
    const failure = await failureOf(companion.outbox.uploadDevlogs([1, 2, 3, 4].map((id) => log('a', id))))
    expect(isStorageFailure(failure)).toBe(true)
    storage.setItem = setItem
    expect(await settled(companion)).toEqual([])
    expect(service.to('devlogs.upload')).toEqual([])
  })
})

test('it is bounded: what does not fit is refused whole', async () => {
  const { companion, service, storage } = await signedIn()
  service.instead = cut
  storage.setItem = async (key, value) => void storage.items.set(key, value)
  await patiently(companion.outbox.uploadDevlogs(Array.from({ length: 1999 }, (_, id) => log('a', id))))
  expect(isOutboxFull(await failureOf(companion.outbox.uploadDevlogs([log('a', 1), log('a', 2)])))).toBe(true)
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  expect(isOutboxFull(await failureOf(companion.outbox.saveEvent(note('2026-03-02'))))).toBe(true)
  await patiently(companion.outbox.remove(await patiently(companion.outbox.list())))
  // The first text is too long for Android to read back; the others take more bytes than it stores: a Korean letter
  // has three.
  const long = { ...note('2026-03-01'), memo: 'x'.repeat(250_000) }
  expect(isOutboxFull(await failureOf(companion.outbox.saveEvent(long)))).toBe(true)
  const korean = { ...note('2026-03-01'), memo: '잠'.repeat(80_000) }
  for (let count = 0; count < 16; count++) await patiently(companion.outbox.saveEvent(korean))
  expect(isOutboxFull(await failureOf(companion.outbox.saveEvent(korean)))).toBe(true)
})

test.each(['', '{', 'null', '[]', '{"version":1}', '[1,null,"x","../session"]'])(
  'a list of ids corrupted to %j, of a storage that does not tell its keys, holds up nothing',
  async (corrupted) => {
    const { companion, service, storage, open, boxKeys } = await signedIn({ tellsKeys: false })
    service.instead = cut
    await patiently(companion.outbox.saveEvent(note('2026-03-01')))
    storage.items.set(boxKeys().find((key) => storage.items.get(key)?.startsWith('[')) ?? '', corrupted)
    const restarted = open()
    expect(await patiently(restarted.outbox.list())).toEqual([])
    await patiently(restarted.outbox.saveEvent(note('2026-03-03')))
    service.instead = () => undefined
    expect(await settled(restarted)).toEqual([])
  },
)

test('a storage that fails for a while loses nothing, and is not tried without end', async () => {
  const { companion, service, storage, notes } = await signedIn()
  const { removeItem } = storage
  storage.removeItem = async () => {
    throw new Error('locked')
  }
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await patiently(companion.outbox.list())).toHaveLength(1)
  storage.removeItem = removeItem
  await vi.advanceTimersByTimeAsync(120_000)
  expect(await patiently(companion.outbox.list())).toEqual([])
  expect(new Set(notes())).toEqual(new Set(['2026-03-01']))
  expect(service.to('calendar.saveEvent').length).toBeLessThan(20)
})

test('a listener may call the client, and be taken off again', async () => {
  const { companion } = await signedIn()
  const seen: string[] = []
  const unsubscribe = companion.outbox.subscribe(async ({ type }) => {
    seen.push(`${type} ${(await companion.outbox.list()).length}`)
  })
  await patiently(companion.outbox.saveEvent(note('2026-03-01')))
  expect(await settled(companion)).toEqual([])
  unsubscribe()
  await patiently(companion.outbox.saveEvent(note('2026-03-02')))
  expect(await settled(companion)).toEqual([])
  expect(seen).toHaveLength(2)
})

describe('a note that demands a version', () => {
  /** The service's rule: each version allows one change. */
  async function versioned() {
    const all = await signedIn()
    const day = {
      event_id: 5,
      version: '"5-1"',
      memo: 'old',
      event_data: { medication: [], hospital: ['A'] },
    }
    let number = 1
    all.service.instead = ({ path, input }) => {
      if (path === 'calendar.readDay') return answer({ ...day, real_user_id: 1, treatment_data: [] })
      if (path !== 'calendar.saveEvent') return undefined
      const { version, memo = '', event_data = { medication: [], hospital: [] } } = Object(input)
      if (version !== day.version) return refuse(412, 'Event was changed meanwhile')
      Object.assign(day, { version: `"5-${++number}"`, memo, event_data })
      return answer({ real_user_id: 1, ...day })
    }
    return { ...all, day }
  }

  test('is not refused for its own first try, nor for the notes before it', async () => {
    const { companion, service, events, day } = await versioned()
    let answered = 0
    service.onReturn = ({ path }, response) =>
      path === 'calendar.saveEvent' && answered++ % 2 === 0 ? cut() : response
    const event_data = { medication: [{ medication_name: 'M', medication_dose: 1 }], hospital: [] }
    for (const memo of ['first', 'second', 'third']) {
      await patiently(
        companion.outbox.saveEvent({ ...note('2026-03-01'), memo, event_data, version: '"5-1"' }),
      )
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await patiently(companion.outbox.list())).toEqual([])
    expect(day).toMatchObject({ memo: 'third', version: '"5-4"', event_data })
    expect(events.filter(({ type }) => type === 'sent')).toHaveLength(3)
  })

  test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    'is not refused when the app is killed at step %d of saving what comes of it',
    async (step) => {
      const { companion, service, storage, open, day } = await versioned()
      const answering = service.instead
      service.instead = cut
      for (const memo of ['first', 'second', 'third'])
        await patiently(companion.outbox.saveEvent({ ...note('2026-03-01'), memo, version: '"5-1"' }))
      service.instead = answering
      let steps = 0
      const { setItem, removeItem } = storage
      const alive = async (key: string) => {
        if (key.includes('outbox') && ++steps > step) await new Promise(() => {})
      }
      storage.setItem = (key, value) => alive(key).then(() => setItem(key, value))
      storage.removeItem = (key) => alive(key).then(() => removeItem(key))
      void companion.outbox.send()
      await vi.advanceTimersByTimeAsync(10_000)
      Object.assign(storage, { setItem, removeItem })
      const restarted = open()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await patiently(restarted.outbox.list())).toEqual([])
      expect(day.memo).toBe('third')
    },
  )

  test.each([
    ['memo', { memo: 'other', event_data: { hospital: ['A'] } }],
    ['list', { memo: 'mine', event_data: { hospital: ['B'] } }],
  ])('is rejected when somebody else has saved another %s', async (_what, input) => {
    const { companion, day } = await versioned()
    Object.assign(day, { version: '"5-9"', memo: 'mine' })
    await patiently(companion.outbox.saveEvent({ ...note('2026-03-01'), ...input, version: '"5-1"' }))
    expect(await settled(companion)).toMatchObject([
      { error: { status: 412, detail: 'Event was changed meanwhile' } },
    ])
  })
})
