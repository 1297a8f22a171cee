import type { DeviceAndWearer } from '../devlogs/device-call.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import type { Context } from '../http/context.ts'
import { askAsDevice } from './offer.ts'
import type { Asked } from './offer.ts'

type DeviceContext = Context & {
  concernsWearer: (found: DeviceAndWearer) => void
  failure: (status: 404, detail: 'Not Found Device') => Error
}

/** Resolves to the device that calls, and what it is offered. Throws 404 for an unknown one, which is counted. */
export async function askingDevice(ctx: DeviceContext, uniqueId: string): Promise<Asked> {
  await refuseUnknownDevices(ctx, [uniqueId])
  const device = await askAsDevice(ctx.database, uniqueId, ctx.timeZone)
  if (!device) {
    await countUnknownDevices(ctx, 1)
    throw ctx.failure(404, 'Not Found Device')
  }
  ctx.concernsWearer(device)
  return device
}

export const unknownDevice = [404, 'Not Found Device', 'the device is unknown'] as const
export const tooManyUnknown = [
  429,
  'Too many requests',
  '20 unknown devices from one IP address within 10 minutes',
] as const
