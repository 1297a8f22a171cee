import { sha256 as digestOf } from '@companion/sdk/firmware'
import { expect, test } from 'vitest'
import { carryUpdate } from './carry-update'
import type { CarryParts, UpdateState } from './carry-update'
import { DeviceLinkError } from './device-link'
import type { DeviceLink, OfferedUpdate } from './device-link'
import { simulatedDevices } from './simulated-device'
import type { Behaviour } from './simulated-device'

const image = Uint8Array.from({ length: 50_000 }, (_, at) => (at * 7) % 251)
const update: OfferedUpdate = {
  firmware_id: 13,
  version: '1.4.0',
  hardware: 'A1',
  size: image.length,
  sha256: digestOf(image),
  manifest: '0oRDoQ==',
  notes: null,
}
const device = { device_id: 3, serial_code: 'DEMO-001', now_firmware_id: 12 }
const offline = Object.assign(new Error('offline'), { cause: { name: 'CompanionUnreachable' } })
const refusal = (detail: string) => Object.assign(new Error(detail), { data: { detail } })

/** A phone beside a simulated device. */
function phone() {
  const { link, behave } = simulatedDevices(async () => undefined)
  const steps: string[] = []
  const reports: string[] = []
  const written: number[] = []
  let last: UpdateState | undefined
  const spied: DeviceLink = {
    connect: async (...how) => {
      const linked = await link.connect(...how)
      return {
        ...linked,
        write: (offset, piece) => {
          written.push(offset)
          return linked.write(offset, piece)
        },
      }
    },
  }
  const parts: CarryParts = {
    link: spied,
    isOffered: async () => true,
    load: async (onBytes) => {
      onBytes(image.length)
      return image
    },
    forget: async () => undefined,
    report: async ({ outcome, stage }) =>
      void reports.push([outcome, stage].filter((said) => said !== undefined).join(' ')),
    isNight: () => false,
    show: ({ step }) => {
      if (steps.at(-1) !== step) steps.push(step)
    },
    signal: new AbortController().signal,
  }
  const go = async (more: Partial<CarryParts> = {}) => {
    steps.length = 0
    last = await carryUpdate({ ...parts, ...more }, device, update, last?.step)
    return last
  }
  return { go, behave, steps, reports, written, link: spied }
}

test('an update is loaded, checked, sent, started and confirmed', async () => {
  const { go, steps, reports } = phone()
  expect(await go()).toMatchObject({ step: 'installed', battery: { battery: 80 } })
  expect(steps).toEqual(['loading', 'connecting', 'sending', 'starting', 'installed'])
  expect(reports).toEqual(['started', 'installed'])
})

test('a device that is lost halfway gets the rest, and begins only once', async () => {
  const { go, behave, reports, written } = phone()
  behave('cut')
  expect(await go()).toMatchObject({ step: 'lost' })
  const has = written.at(-1) ?? 0
  expect(has).toBeGreaterThan(image.length / 2 - 4096)
  behave('works')
  written.length = 0
  expect(await go()).toMatchObject({ step: 'installed' })
  expect(written[0]).toBe(has)
  expect(reports).toEqual(['started', 'installed'])
})

test('a connection that breaks off at each piece is made again as long as it brings bytes to the device', async () => {
  const { go, link, reports } = phone()
  let writes = 0
  const flickering: DeviceLink = {
    connect: async (...how) => {
      const linked = await link.connect(...how)
      return {
        ...linked,
        write: async (offset, piece) => {
          if (++writes % 2 === 0) throw new DeviceLinkError('lost')
          return linked.write(offset, piece)
        },
      }
    },
  }
  expect(await go({ link: flickering })).toMatchObject({ step: 'installed' })
  expect(writes).toBeGreaterThan(20)
  expect(reports).toEqual(['started', 'installed'])
})

test('one that breaks off without a byte is given up after some tries, without a report', async () => {
  const { go, link, reports } = phone()
  let connections = 0
  const dead: DeviceLink = {
    connect: async (...how) => {
      connections++
      const linked = await link.connect(...how)
      return { ...linked, read: () => Promise.reject(new DeviceLinkError('lost')) }
    },
  }
  expect(await go({ link: dead })).toMatchObject({ step: 'lost' })
  expect(connections).toBe(4)
  expect(reports).toEqual([])
})

test.each([
  ['far', 'unreachable', []],
  ['low', 'battery', []],
  ['worn', 'in-use', []],
  ['refuses', 'refused', ['refused signature']],
  ['breaks', 'failed', ['started', 'failed flash']],
  ['returns', 'rolled_back', ['started', 'rolled_back']],
] as const)('a device that is "%s" ends in "%s"', async (behaviour: Behaviour, step, reported) => {
  const { go, behave, reports } = phone()
  behave(behaviour)
  expect(await go()).toMatchObject({ step })
  expect(reports).toEqual(reported)
  if (reported.length === 0) {
    behave('works')
    expect(await go()).toMatchObject({ step: 'installed' })
  }
})

test('what is not the signed image is reported and forgotten, and no byte of it is sent', async () => {
  const { go, reports, written } = phone()
  let forgotten = 0
  const forget = async () => void forgotten++
  expect(await go({ load: async () => 'hash', forget })).toMatchObject({ step: 'failed' })
  expect(await go({ load: async () => 'changed', forget })).toMatchObject({ step: 'withdrawn' })
  expect(reports).toEqual(['failed hash of the load'])
  expect(forgotten).toBe(2)
  expect(written).toEqual([])
})

test('a device that got other bytes than were signed says so', async () => {
  const { go, reports } = phone()
  const wrong = Uint8Array.from(image, (byte, at) => byte ^ Number(at === 999))
  expect(await go({ load: async () => wrong })).toMatchObject({ step: 'failed' })
  expect(reports).toEqual(['started', 'failed hash'])
})

test('at night nothing begins, and nothing is started that was sent before', async () => {
  const { go, reports, written } = phone()
  expect(await go({ isNight: () => true })).toMatchObject({ step: 'night' })
  expect(reports).toEqual([])
  expect(await go({ isNight: () => written.length > 5 })).toMatchObject({
    step: 'night',
    bytes: image.length,
  })
  expect(reports).toEqual(['started'])
  written.length = 0
  expect(await go()).toMatchObject({ step: 'installed' })
  expect(written).toEqual([])
})

test('without the service an image that is whole is still carried, and one that is not waits', async () => {
  const { go } = phone()
  const isOffered = () => Promise.reject(offline)
  expect(await go({ isOffered, load: () => Promise.reject(offline) })).toMatchObject({ step: 'offline' })
  expect(await go({ isOffered })).toMatchObject({ step: 'installed' })
})

test('a release that was stopped is carried no further', async () => {
  const { go, reports } = phone()
  expect(await go({ isOffered: async () => false })).toMatchObject({ step: 'withdrawn' })
  expect(await go({ load: () => Promise.reject(refusal('Firmware not found')) })).toMatchObject({
    step: 'withdrawn',
  })
  expect(reports).toEqual([])
})

test('errors that say nothing of the update are passed on', async () => {
  const { go } = phone()
  await expect(go({ load: () => Promise.reject(refusal('Too many requests')) })).rejects.toThrow('Too many')
  await expect(go({ isOffered: () => Promise.reject(refusal('Not authorized user')) })).rejects.toThrow('Not')
})

test('the parent can stop it while it is loaded and while it is sent', async () => {
  const { go, written } = phone()
  for (const when of ['load', 'send']) {
    const stop = new AbortController()
    const state = await go({
      signal: stop.signal,
      load: async () => {
        if (when === 'send') return image
        stop.abort()
        throw new Error('aborted')
      },
      show: ({ bytes, step }) => {
        if (step === 'sending' && bytes > 10_000) stop.abort()
      },
    })
    expect(state).toMatchObject({ step: 'paused' })
  }
  expect(written.at(-1)).toBeLessThan(20_000)
  expect(await go()).toMatchObject({ step: 'installed' })
})

test('a device that does not come back after the start is asked later, and then reported', async () => {
  for (const behaviour of ['works', 'returns'] as const) {
    const { go, behave, link, steps, reports } = phone()
    behave(behaviour)
    const leaving: DeviceLink = {
      connect: async (...how) => {
        const linked = await link.connect(...how)
        return {
          ...linked,
          start: async () => {
            await linked.start()
            behave('far')
          },
        }
      },
    }
    expect(await go({ link: leaving })).toMatchObject({ step: 'unconfirmed' })
    expect(await go()).toMatchObject({ step: 'unconfirmed' })
    expect(reports).toEqual(['started'])
    behave('works')
    const outcome = behaviour === 'works' ? 'installed' : 'rolled_back'
    expect(await go()).toMatchObject({ step: outcome })
    expect(steps).toEqual(['starting', outcome])
    expect(reports).toEqual(['started', outcome])
  }
})

test('a device that was lost before it heard that it should start is told again', async () => {
  const { go, link, reports } = phone()
  let isDeaf = true
  const deaf: DeviceLink = {
    connect: async (...how) => {
      if (!isDeaf) return link.connect(...how)
      const linked = await link.connect(...how)
      return { ...linked, start: () => Promise.reject(new DeviceLinkError('lost')) }
    },
  }
  expect(await go({ link: deaf })).toMatchObject({ step: 'unconfirmed' })
  isDeaf = false
  expect(await go({ link: deaf })).toMatchObject({ step: 'installed' })
  expect(reports).toEqual(['started', 'installed'])
})

test('a device that has the firmware already is only reported', async () => {
  const { go, reports, written } = phone()
  await go()
  written.length = 0
  expect(await go()).toMatchObject({ step: 'installed' })
  expect(written).toEqual([])
  expect(reports).toEqual(['started', 'installed', 'installed'])
})
