import { isOffline } from '@companion/sdk'
import type { ReportFirmwareInput } from '@companion/sdk'
import { detailOf } from '../companion/error-detail'
import { DeviceLinkError } from './device-link'
import type { DeviceLink, DeviceState, LinkedDevice, OfferedUpdate, ReachableDevice } from './device-link'

/** The app is at work. */
type Working = 'loading' | 'connecting' | 'sending' | 'starting'

/**
 * It waits for the parent, and can go on from where it is:
 *
 * - `paused`: the parent has stopped it
 * - `offline`: the service cannot be reached
 * - `unreachable`, `lost`: the device was not found, or is no longer there after it took some bytes
 * - `night`: a child may be asleep with the device
 * - `battery`, `in-use`: the device cannot be updated now
 * - `unconfirmed`: the device was to start the firmware, and has not been reached since
 */
type Waiting = 'paused' | 'offline' | 'unreachable' | 'lost' | 'night' | 'battery' | 'in-use' | 'unconfirmed'

/** It is over. One that failed may be tried again. */
type Ended = 'installed' | 'failed' | 'refused' | 'rolled_back' | 'withdrawn'

const ends: ReadonlySet<UpdateState['step']> = new Set<Ended>([
  'installed',
  'failed',
  'refused',
  'rolled_back',
  'withdrawn',
])

export const isOver = ({ step }: UpdateState): boolean => ends.has(step)

export interface UpdateState {
  step: Working | Waiting | Ended
  /** The bytes that the phone has, while it loads them, or that the device has. */
  bytes: number
  battery?: Pick<DeviceState, 'battery' | 'is_charging'> | undefined
}

export interface CarryParts {
  link: DeviceLink
  /** Whether the service still offers it. Rejects as the calls of the SDK do. */
  isOffered: () => Promise<boolean>
  /**
   * Resolves to the whole image with the signed hash, to `hash` if it has another one, or else to why it is not there. What was loaded
   * before it rejects is kept for the next call.
   */
  load: (onBytes: (bytes: number) => void) => Promise<Uint8Array | 'hash' | 'changed' | 'refused'>
  /** Forgets what was loaded. */
  forget: () => Promise<unknown>
  report: (report: Omit<ReportFirmwareInput, 'device_id' | 'firmware_id'>) => Promise<unknown>
  isNight: () => boolean
  show: (state: UpdateState) => void
  /** Stops it, as long as the device has not been told to start the firmware. */
  signal: AbortSignal
}

/** From this battery on, a device has enough for an update and the night after it. Whole percent. */
export const LEAST_BATTERY = 30

/** Bytes that are sent at once. The link divides them further, as its packets are small. */
const PIECE = 4096

/** How often a connection is made again, or a piece sent again, before the device has taken one more byte. */
const MOST_TRIES = 3

/**
 * Carries a firmware from the service to a device, as far as it gets: loads it, checks its hash, sends it from where the device
 * is, has the device start it, and asks whether it runs. What is final is reported; what is not can go on by another call.
 * `before` is where the last call has ended. Rejects with errors that say nothing about the update.
 */
export async function carryUpdate(
  parts: CarryParts,
  device: ReachableDevice,
  update: OfferedUpdate,
  before: UpdateState['step'] | undefined,
): Promise<UpdateState> {
  const { link, report, isNight, signal } = parts
  let now: UpdateState = { step: 'loading', bytes: 0 }
  const at = (step: UpdateState['step'], more: Partial<UpdateState> = {}): UpdateState => {
    now = { ...now, ...more, step }
    parts.show(now)
    return now
  }
  const ended = async (
    outcome: 'installed' | 'failed' | 'refused' | 'rolled_back',
    stage?: string,
  ): Promise<UpdateState> => {
    await report({ outcome, ...(stage === undefined ? {} : { stage }) })
    return at(outcome)
  }

  async function loaded(): Promise<Uint8Array | UpdateState> {
    at('loading', { bytes: 0 })
    try {
      if (!(await parts.isOffered())) return at('withdrawn')
    } catch (error) {
      if (signal.aborted) return at('paused')
      // The image may be whole already, and the cellar without a network.
      if (!isOffline(error)) throw error
    }
    let image: Awaited<ReturnType<CarryParts['load']>>
    try {
      image = await parts.load((bytes) => at('loading', { bytes }))
    } catch (error) {
      if (signal.aborted) return at('paused')
      if (isOffline(error)) return at('offline')
      if (detailOf(error) === 'Firmware not found') return at('withdrawn')
      throw error
    }
    if (image instanceof Uint8Array) return image
    await parts.forget()
    return image === 'hash' ? ended('failed', 'hash of the load') : at('withdrawn')
  }

  /** Does something with the device. A connection that ends is made again, as long as that brings bytes to the device. */
  async function connected<Result>(
    step: Working,
    work: (linked: LinkedDevice, state: DeviceState) => Promise<Result>,
  ): Promise<Result> {
    let tries = 0
    for (;;) {
      const bytes = now.bytes
      let linked: LinkedDevice | undefined
      try {
        at(step)
        linked = await link.connect(device, ({ battery, is_charging }) =>
          at(now.step, { battery: { battery, is_charging } }),
        )
        const state = await linked.read()
        const { battery, is_charging } = state
        at(step, { battery: { battery, is_charging } })
        return await work(linked, state)
      } catch (error) {
        tries = now.bytes > bytes ? 1 : tries + 1
        if (!(error instanceof DeviceLinkError) || error.kind !== 'lost' || tries > MOST_TRIES) throw error
      } finally {
        linked?.close()
      }
    }
  }

  /** Sends what the device does not have yet, unless it is stopped. */
  async function send(linked: LinkedDevice, image: Uint8Array, from: number): Promise<void> {
    let [has, most, tries] = [from, from, 0]
    while (has < image.length && !signal.aborted) {
      at('sending', { bytes: has })
      has = await linked.write(has, image.subarray(has, has + PIECE))
      tries = has > most ? 0 : tries + 1
      most = Math.max(has, most)
      if (tries > MOST_TRIES) throw new DeviceLinkError('failed', 'write')
    }
    at('sending', { bytes: has })
  }

  /** What keeps a device from being updated now. */
  const obstacle = ({ is_in_use, battery, is_charging }: DeviceState): Waiting | undefined =>
    isNight()
      ? 'night'
      : is_in_use
        ? 'in-use'
        : battery < LEAST_BATTERY && !is_charging
          ? 'battery'
          : undefined

  /** Whether the device has started the firmware; undefined while it still runs the former one without having tried. */
  const outcomeOf = ({ firmware_id, rolled_back_id }: DeviceState): 'installed' | 'rolled_back' | undefined =>
    firmware_id === update.firmware_id
      ? 'installed'
      : rolled_back_id === update.firmware_id
        ? 'rolled_back'
        : undefined

  async function confirmed(): Promise<UpdateState> {
    const outcome = await connected('starting', async (_linked, state) => outcomeOf(state))
    return outcome ? ended(outcome) : at('unconfirmed')
  }

  let isStarted = before === 'unconfirmed'
  try {
    if (isStarted) {
      const found = await confirmed()
      if (found.step !== 'unconfirmed' || isNight()) return found
      // The connection was lost before the device heard that it should start the firmware.
      isStarted = false
    }
    if (isNight()) return at('night')
    const image = await loaded()
    if (!(image instanceof Uint8Array)) return image
    now = { ...now, bytes: 0 }
    const stopped = await connected('connecting', async (linked, state) => {
      const outcome = outcomeOf(state)
      // A device that went back before may be given another try.
      if (outcome === 'installed' || (outcome && isStarted)) return ended(outcome)
      const before = obstacle(state)
      if (before) return at(before)
      const has = await linked.begin(update)
      if (has === 0) await report({ outcome: 'started' })
      await send(linked, image, has)
      // It may have become late, or somebody may have put the device on.
      const after = signal.aborted ? 'paused' : obstacle(await linked.read())
      if (after) return at(after)
      at('starting')
      isStarted = true
      await linked.start()
      return undefined
    })
    return stopped ?? (await confirmed())
  } catch (error) {
    if (!(error instanceof DeviceLinkError)) throw error
    const { kind, stage } = error
    if (kind === 'refused' || kind === 'failed') return ended(kind, stage)
    if (isStarted) return at('unconfirmed')
    return at(now.bytes > 0 ? 'lost' : kind)
  }
}
