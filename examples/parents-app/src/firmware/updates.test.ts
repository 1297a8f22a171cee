import { expect, test } from 'vitest'
import type { UpdateState } from './carry-update'
import type { OfferedUpdate } from './device-link'
import { createUpdateRuns } from './updates'
import type { CarryUpdate } from './updates'

const device = { device_id: 3, serial_code: 'DEMO-001', now_firmware_id: 12 }
const update = (firmware_id: number): OfferedUpdate => ({
  firmware_id,
  version: '1.4.0',
  hardware: 'A1',
  size: 1,
  sha256: '',
  manifest: '',
  notes: null,
})
type How = Parameters<CarryUpdate<typeof device>>[2]

/** Updates whose end the test decides. */
function held() {
  const calls: (How & { end: (state: UpdateState) => void; fail: (error: Error) => void })[] = []
  const updates = createUpdateRuns<typeof device>(
    (_device, _update, how) =>
      new Promise((resolve, reject) => {
        calls.push({ ...how, end: resolve, fail: reject })
      }),
  )
  return { updates, calls }
}

test('one update of a device runs at a time, and its states are shown', async () => {
  const { updates, calls } = held()
  let changes = 0
  const unsubscribe = updates.subscribe(() => void changes++)
  const done = updates.go(device, update(13))
  await updates.go(device, update(13))
  expect(calls).toHaveLength(1)
  calls[0]?.show({ step: 'sending', bytes: 5 })
  expect(updates.of(3)).toMatchObject({ isRunning: true, state: { step: 'sending', bytes: 5 } })
  calls[0]?.end({ step: 'lost', bytes: 5 })
  await done
  expect(updates.of(3)).toMatchObject({ isRunning: false, state: { step: 'lost' } })
  expect(changes).toBe(3)
  unsubscribe()
})

test('the next one goes on from the last of the same firmware, and begins anew with another', async () => {
  const { updates, calls } = held()
  for (const id of [13, 13, 14]) {
    const done = updates.go(device, update(id))
    calls.at(-1)?.end({ step: 'unconfirmed', bytes: 0 })
    await done
  }
  expect(calls.map(({ before }) => before?.state.step)).toEqual([undefined, 'unconfirmed', undefined])
})

test('an error is kept, and the next try begins without it', async () => {
  const { updates, calls } = held()
  const failed = updates.go(device, update(13))
  calls[0]?.fail(new Error('odd'))
  await failed
  expect(updates.of(3)).toMatchObject({ isRunning: false, error: new Error('odd') })
  void updates.go(device, update(13))
  expect(updates.of(3)).toMatchObject({ isRunning: true, error: undefined })
})

test('what still runs when the session ends is stopped and leaves nothing', async () => {
  const { updates, calls } = held()
  const done = updates.go(device, update(13))
  updates.forget()
  expect(calls[0]?.signal.aborted).toBe(true)
  calls[0]?.end({ step: 'paused', bytes: 0 })
  await done
  expect(updates.of(3)).toBeUndefined()
})
