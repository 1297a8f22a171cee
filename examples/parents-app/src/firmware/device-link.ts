import type { Device, FirmwareCheck } from '@companion/sdk'

/** A firmware as the service offers it. */
export type OfferedUpdate = NonNullable<FirmwareCheck['update']>

/** A device as it is found by Bluetooth. */
export type ReachableDevice = Pick<Device, 'device_id' | 'serial_code' | 'now_firmware_id'>

/** What a device says of itself. */
export interface DeviceState {
  /** The firmware that runs. */
  firmware_id: number
  /** Whole percent. */
  battery: number
  is_charging: boolean
  is_in_use: boolean
  /** The firmware that the device started last, and left for the former one again. */
  rolled_back_id: number | null
}

/**
 * Why a device did not do what was asked:
 *
 * - `unreachable`: it was not found, or did not answer in time
 * - `lost`: the connection ended
 * - `refused`: it does not take this firmware: its signature, its hardware, its age
 * - `failed`: it could not write, or the whole image is not the one that was signed
 */
export class DeviceLinkError extends Error {
  override readonly name = 'DeviceLinkError'
  readonly kind: 'unreachable' | 'lost' | 'refused' | 'failed'
  /** Where it happened, in one of the device's words, such as `signature`. */
  readonly stage: string | undefined

  constructor(kind: DeviceLinkError['kind'], stage?: string) {
    super(`The device: ${kind}`)
    this.kind = kind
    this.stage = stage
  }
}

/** A device that is connected. Each call rejects with a `DeviceLinkError`. */
export interface LinkedDevice {
  read: () => Promise<DeviceState>
  /**
   * Has the device verify the manifest before it takes a byte. It keeps what it has of the same image, also after a restart,
   * and forgets any other. Resolves to the number of bytes that it has.
   */
  begin: (update: OfferedUpdate) => Promise<number>
  /** Sends the bytes from `offset` on. Resolves to the number of bytes that the device has then, which may be lower than before. */
  write: (offset: number, piece: Uint8Array) => Promise<number>
  /** Has the device verify the whole image and restart with it, which ends the connection. */
  start: () => Promise<void>
  close: () => void
}

/** What a connected device reports by itself. */
export type DeviceEvent = { kind: 'battery'; battery: number; is_charging: boolean }

/** What the app needs from the phone to reach a device. */
export interface DeviceLink {
  /** Looks for the device for some seconds. Rejects with a `DeviceLinkError`. */
  connect: (device: ReachableDevice, onEvent: (event: DeviceEvent) => void) => Promise<LinkedDevice>
}
