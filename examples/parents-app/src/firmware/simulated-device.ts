import { sha256 as digestOf } from '@companion/sdk/firmware'
import { DeviceLinkError } from './device-link'
import type { DeviceEvent, DeviceLink, OfferedUpdate, ReachableDevice } from './device-link'

/** What a simulated device does with the next update. */
export const behaviours = [
  'works',
  'far',
  'cut',
  'low',
  'worn',
  'refuses',
  'breaks',
  'returns',
  'leaves',
] as const

export type Behaviour = (typeof behaviours)[number]

/** One that has been switched off for a while. */
interface Flash {
  firmware_id: number
  rolled_back_id: number | null
  /** What it has of a new image. */
  image: { sha256: string; bytes: Uint8Array; has: number } | undefined
}

/**
 * Devices that are not there: for a demonstration, and for tests. They keep what they were sent until the app ends.
 * `pause` is awaited in place of the air.
 */
export function simulatedDevices(pause: () => Promise<void>) {
  const flashes = new Map<number, Flash>()
  let behaviour: Behaviour = 'works'
  let isLost = false

  const flashOf = ({ device_id, now_firmware_id }: ReachableDevice): Flash => {
    const flash = flashes.get(device_id) ?? {
      firmware_id: now_firmware_id,
      rolled_back_id: null,
      image: undefined,
    }
    flashes.set(device_id, flash)
    return flash
  }

  const link: DeviceLink = {
    connect: async (device, onEvent: (event: DeviceEvent) => void) => {
      await pause()
      if (behaviour === 'far' || isLost) throw new DeviceLinkError('unreachable')
      const flash = flashOf(device)
      let update: OfferedUpdate | undefined
      const battery = behaviour === 'low' ? 12 : 80
      return {
        read: async () => ({
          firmware_id: flash.firmware_id,
          rolled_back_id: flash.rolled_back_id,
          battery,
          is_charging: false,
          is_in_use: behaviour === 'worn',
        }),
        begin: async (offered) => {
          await pause()
          if (behaviour === 'refuses') throw new DeviceLinkError('refused', 'signature')
          update = offered
          const { sha256, size } = offered
          if (flash.image?.sha256 !== sha256) flash.image = { sha256, bytes: new Uint8Array(size), has: 0 }
          return flash.image.has
        },
        write: async (offset, piece) => {
          await pause()
          const { image } = flash
          if (!update || !image) throw new DeviceLinkError('failed', 'order')
          const isHalf = image.has >= update.size / 2
          if (behaviour === 'breaks' && isHalf) {
            flash.image = undefined
            throw new DeviceLinkError('failed', 'flash')
          }
          if (behaviour === 'cut' && isHalf) {
            isLost = true
            throw new DeviceLinkError('lost')
          }
          if (offset === image.has && offset + piece.length <= update.size) {
            image.bytes.set(piece, offset)
            image.has += piece.length
          }
          onEvent({ kind: 'battery', battery, is_charging: false })
          return image.has
        },
        start: async () => {
          await pause()
          const { image } = flash
          flash.image = undefined
          if (!update || !image || digestOf(image.bytes) !== update.sha256)
            throw new DeviceLinkError('failed', 'hash')
          if (behaviour === 'returns') flash.rolled_back_id = update.firmware_id
          else flash.firmware_id = update.firmware_id
          isLost = behaviour === 'leaves'
        },
        close: () => undefined,
      }
    },
  }
  return {
    link,
    behaviour: () => behaviour,
    /** Has all devices behave so from now on; one that was lost is near again. */
    behave: (next: Behaviour) => {
      behaviour = next
      isLost = false
    },
  }
}
