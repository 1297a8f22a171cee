import type { DeviceLink } from './device-link'
import { simulatedDevices } from './simulated-device'

/** About as long as 4 kB take by Bluetooth Low Energy. */
const PIECE_MS = 25

/** Devices that are not there, in a build that asks for them: it would report updates that no device has. */
export const deviceSimulation =
  process.env.EXPO_PUBLIC_DEVICE_LINK === 'simulated'
    ? simulatedDevices(() => new Promise((resolve) => setTimeout(resolve, PIECE_MS)))
    : undefined

/**
 * How this phone reaches devices; undefined in a build that cannot, which offers no updates. Put the Bluetooth of your device
 * here.
 */
export const deviceLink: DeviceLink | undefined = deviceSimulation?.link
