import type { DeviceAndWearer } from '../devlogs/device-call.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { askAsDevice } from './offer.ts'
import type { DeviceOffer } from './offer.ts'

export const unknownDevice = [404, 'Not Found Device', 'the device is unknown'] as const
export const tooManyUnknown = [
  429,
  'Too many requests',
  '20 unknown devices from one IP address within 10 minutes',
] as const

/** Resolves to what `find` knows of a device. Throws 404 for an unknown one, which is counted, and 429 after too many of them. */
export async function knownDevice<Found>(
  ctx: Context,
  uniqueId: string,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  await refuseUnknownDevices(ctx, [uniqueId])
  const found = await find()
  if (found !== undefined) return found
  await countUnknownDevices(ctx, 1)
  throw new Failure(...unknownDevice)
}

/** Resolves to the device that calls, and what it is offered. Throws the errors of `knownDevice`. */
export async function askingDevice(
  ctx: Context & { concernsWearer: (found: DeviceAndWearer) => void },
  uniqueId: string,
): Promise<DeviceOffer> {
  const device = await knownDevice(ctx, uniqueId, () => askAsDevice(ctx.database, uniqueId, ctx.timeZone))
  ctx.concernsWearer(device)
  return device
}
