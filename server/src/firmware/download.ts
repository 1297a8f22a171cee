import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { wornDeviceErrors } from '../devices/pairing.ts'
import { idField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { askedDevice } from './check.ts'
import {
  imageOperation,
  imageResponse,
  notOffered,
  rangeRequestHeaders,
  tooManyLoads,
  rangeNotSatisfiable,
} from './image-response.ts'

export const download = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/ota/file',
    right: 'guardian',
    summary: 'Load the firmware that a device is offered',
    description: 'The image as it was signed. A load that was cut goes on by `Range`.',
    headers: rangeRequestHeaders,
    ...imageOperation,
  },
  [...wornDeviceErrors, notOffered, rangeNotSatisfiable, tooManyLoads],
)
  .input(z.object({ device_id: idField, firmware_id: idField }))
  .output(fileResponseSchema)
  .query(async ({ ctx, input: { device_id, firmware_id } }) => {
    const device = await askedDevice(ctx, device_id)
    if (device.firmware_id !== firmware_id) throw ctx.failure(404, 'Firmware not found')
    return imageResponse(ctx, device_id, device)
  })
