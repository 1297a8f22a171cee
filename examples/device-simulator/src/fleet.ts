import { firmwareCalls } from './firmware-calls.ts'
import { installationOf, applyFirmwareIssues } from './new-firmware.ts'
import type { FirmwareIssues } from './new-firmware.ts'
import { makeNights } from './nights.ts'
import { createRandom } from './random.ts'
import { DEFAULT_RETRY_POLICY } from './retry.ts'
import type { RetryPolicy } from './retry.ts'
import { upload } from './upload.ts'

/** A device of a fleet, between two runs. */
export interface FleetDevice {
  unique_id: string
  /** The firmware that it runs. */
  firmware: number
  /** The last night under the former firmware, `yyyy-mm-dd`; null if it was never updated. */
  updated_after: string | null
  /** Never heard of again. */
  is_silent: boolean
}

/** Input of {@link playFleet}. */
export interface FleetOptions {
  /** Address of the service. */
  url: string
  devices: readonly FleetDevice[]
  /** The last night that is uploaded, `yyyy-mm-dd`, and how many up to it. */
  until: string
  nights: number
  /** The wall clock now: a use that has not ended is left out. */
  now?: string
  /** Decides the nights and which devices meet an issue. */
  seed: number
  issues?: FirmwareIssues
  /** Devices that are played at once. Default 8. */
  atOnce?: number
  policy?: Partial<RetryPolicy>
  fetch?: typeof globalThis.fetch
  /** Called for each step, with one line for a person. */
  progress?: (line: string) => void
}

/** Result of a run. Each device is counted once, unless it failed in between. */
export interface FleetReport {
  /** Whether every call was answered as documented. */
  ok: boolean
  devices: FleetDevice[]
  /** Nothing is offered, or nothing new. */
  up_to_date: number
  installed: number
  failed: number
  rolled_back: number
  /** Fallen silent in this run or before. */
  silent: number
  /** Devices of which an upload or a call failed. */
  errors: number
}

/**
 * Plays one day of a fleet: each device uploads its nights, asks for firmware as a device does, loads what it is offered, and
 * installs it, as far as the issues of the new firmware let it. Nights after the update are those of the new firmware. A
 * device verifies no signature here; `examples/firmware` does.
 */
export async function playFleet(options: FleetOptions): Promise<FleetReport> {
  const { progress = () => {}, atOnce = 8 } = options
  const counts = { up_to_date: 0, installed: 0, failed: 0, rolled_back: 0, silent: 0, errors: 0 }
  const devices = [...options.devices]
  const waiting = devices.entries()
  const play = async () => {
    for (const [index, device] of waiting) {
      const { outcome, ...after } = await playDevice(device, options).catch((error: unknown) => {
        progress(`${device.unique_id}: ${error instanceof Error ? error.message : String(error)}`)
        return { device, outcome: 'errors' as const }
      })
      devices[index] = after.device
      counts[outcome] += 1
      if (outcome !== 'up_to_date' && outcome !== 'errors') progress(`${device.unique_id}: ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
  return { ok: counts.errors === 0, devices, ...counts }
}

type Played = {
  device: FleetDevice
  outcome: 'up_to_date' | 'installed' | 'failed' | 'rolled_back' | 'silent'
}

async function playDevice(device: FleetDevice, options: FleetOptions): Promise<Played> {
  const { url, seed, until, issues = {}, fetch } = options
  const { unique_id, firmware } = device
  if (device.is_silent) return { device, outcome: 'silent' }
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.policy }
  const items = nightsOf(device, options)
  const uploaded = await upload({
    url,
    items,
    seed,
    policy,
    batch: 100,
    misbehaviour: { firmware },
    ...(fetch ? { fetch } : {}),
  })
  if (!uploaded.ok) throw new Error('The nights were not stored')

  const { timeout } = policy
  const calls = firmwareCalls(url, unique_id, { timeout, ...(fetch ? { fetch } : {}) })
  const offer = await calls.ask(firmware)
  if (offer === null) return { device, outcome: 'up_to_date' }
  await calls.report(offer.firmwareId, 'started')
  await calls.load(offer.firmwareId)
  const outcome = installationOf(issues, seed, unique_id, offer.firmwareId)
  if (outcome === 'failed' || outcome === 'rolled_back') {
    await calls.report(offer.firmwareId, outcome)
    return { device, outcome }
  }
  await calls.report(offer.firmwareId, 'installed')
  const is_silent = outcome === 'silent'
  return { device: { unique_id, firmware: offer.firmwareId, updated_after: until, is_silent }, outcome }
}

/** The nights of a device, each under the firmware that it ran then. */
export function nightsOf(
  { unique_id, updated_after }: FleetDevice,
  {
    seed,
    nights,
    until,
    now,
    issues = {},
  }: Pick<FleetOptions, 'seed' | 'nights' | 'until' | 'now' | 'issues'>,
) {
  const own = createRandom(seed, 'device', unique_id).integer(0, 2 ** 31 - 1)
  const items = makeNights({
    seed: own,
    nights,
    until,
    uniqueId: unique_id,
    ...(now === undefined ? {} : { now }),
  })
  return items.map((item) =>
    updated_after !== null && item.detail_data.treatment_date.slice(0, 10) > updated_after
      ? applyFirmwareIssues(item, issues, seed)
      : item,
  )
}

/** Formats the report as one line for a person. */
export function summarizeFleet({ devices, ...counts }: FleetReport): string {
  const { up_to_date, installed, failed, rolled_back, silent, errors } = counts
  return (
    `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}: ${up_to_date} up to date, ${installed} installed, ${failed} failed, ` +
    `${rolled_back} rolled back, ${silent} silent, ${errors} with errors`
  )
}
