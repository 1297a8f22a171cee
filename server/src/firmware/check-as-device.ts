import { z } from 'zod'
import { recordDeviceCallOnTrail } from '../devlogs/device-call.ts'
import { reportedFirmware, setFirmware } from '../devlogs/reported-firmware.ts'
import { endpoint } from '../http/endpoint.ts'
import { LARGEST_ID, uniqueIdField } from '../http/fields.ts'
import { fileResponseSchema, FileResponse, NoFileResponse } from '../http/file-response.ts'
import { askingDevice, tooManyUnknown, unknownDevice } from './asking-device.ts'
import { askAsDevice } from './offer.ts'

export const checkAsDevice = endpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/firmware',
    summary: 'Ask, as a device, for another firmware',
    description:
      'The response is the manifest alone, COSE_Sign1 (RFC 9052) of at most 512 bytes. The device verifies it before it loads the image by `GET /api/v1/gamma/device/firmware/{firmware_id}`.',
    file: 'application/cose',
    responseHeaders: ['X-Firmware-Id'],
    otherSuccesses: { 204: 'No firmware is offered' },
    headers: {
      'X-Firmware': {
        description: `An integer from 0 to ${LARGEST_ID}: the firmware that the device runs. It is kept as on an upload.`,
        pattern: String.raw`^\d{1,10}$`,
      },
    },
  },
  [unknownDevice, tooManyUnknown],
)
  .use(recordDeviceCallOnTrail)
  .input(z.object({ unique_id: uniqueIdField }))
  .output(fileResponseSchema)
  .query(async ({ ctx, input: { unique_id } }) => {
    const { database, request, timeZone } = ctx
    const running = reportedFirmware(request)
    let device = await askingDevice(ctx, unique_id)
    if (running !== undefined && running !== device.now_firmware_id) {
      await database.query(setFirmware, [[unique_id], running])
      device = (await askAsDevice(database, unique_id, timeZone)) ?? device
    }
    if (device.firmware_id === null) return new NoFileResponse()
    const { firmware_id, manifest } = device
    return new FileResponse({
      name: `firmware-${firmware_id}.manifest`,
      size: manifest.length,
      headers: { 'x-firmware-id': firmware_id },
      bytes: () => [manifest],
    })
  })
