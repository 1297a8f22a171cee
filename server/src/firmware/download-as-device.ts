import { z } from 'zod'
import { recordDeviceCallOnTrail } from '../devlogs/device-call.ts'
import { endpoint } from '../http/endpoint.ts'
import { idField, uniqueIdField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { askingDevice, unknownDevice } from './asking-device.ts'
import {
  imageOperation,
  imageResponse,
  notOffered,
  rangeRequestHeaders,
  rangeNotSatisfiable,
} from './image-response.ts'

export const downloadAsDevice = endpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/firmware/{firmware_id}',
    summary: 'Load, as a device, the firmware that it is offered',
    description:
      'The image as it was signed. A load that was cut goes on by `Range`; pieces of any size may be asked for.',
    headers: rangeRequestHeaders,
    ...imageOperation,
  },
  [
    unknownDevice,
    notOffered,
    rangeNotSatisfiable,
    [
      429,
      'Too many requests',
      'the device has loaded this firmware whole five times within 24 hours, or 20 unknown devices from one IP address within 10 minutes',
    ],
  ],
)
  .use(recordDeviceCallOnTrail)
  .input(z.object({ firmware_id: idField, unique_id: uniqueIdField }))
  .output(fileResponseSchema)
  .query(async ({ ctx, input: { unique_id, firmware_id } }) => {
    const device = await askingDevice(ctx, unique_id)
    if (device.firmware_id !== firmware_id) throw ctx.failure(404, 'Firmware not found')
    return imageResponse(ctx, device.device_id, device)
  })
