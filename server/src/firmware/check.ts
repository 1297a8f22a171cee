import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { wornDeviceErrors } from '../devices/pairing.ts'
import type { Context } from '../http/context.ts'
import { idField } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { today } from '../time/wall-clock.ts'
import { askAsAccount } from './offer.ts'
import type { DeviceOffer } from './offer.ts'

const update = z
  .object({
    firmware_id: z.int().meta({ description: 'The firmware that is offered', examples: [13] }),
    version: z.string().meta({ description: 'As families read it', examples: ['1.4.0'] }),
    hardware: z.string().meta({ description: 'The kind of hardware that it is for', examples: ['A1'] }),
    size: z.int().meta({ description: 'Bytes of the image', examples: [262_144] }),
    sha256: z.string().meta({
      description: 'SHA-256 of the image, 64 lower-case hexadecimal digits',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    manifest: z.string().meta({
      description: 'What the maker has signed, for the device to verify: COSE_Sign1 (RFC 9052) in base64',
      examples: [
        '0oRDoQEmoQRCazFYMqYBDQJiQTEDGgAEAAAEWCCfhtCBiEx9ZZov6qDFWtAVo79PGysLgizRXWwVsPAKCAUHBvYHCg==',
      ],
    }),
    notes: z
      .string()
      .nullable()
      .meta({
        description: 'What changes, in English or Korean; null without notes',
        examples: ['Quieter at night'],
      }),
  })
  .meta({ id: 'FirmwareUpdate', description: 'A firmware that a device is offered' })

/** Resolves to the device of a caller who may reach it. Throws the errors of a worn device. */
export async function askedDevice(
  ctx: Pick<Context, 'database' | 'timeZone'> & {
    caller: { rootUserId: number }
    mayAccess: (role: DeviceOffer['role'], realUserId: number) => boolean
    failure: (...error: (typeof wornDeviceErrors)[number]) => Error
  },
  deviceId: number,
): Promise<DeviceOffer & { real_user_id: number }> {
  const { database, timeZone, caller } = ctx
  const device = await askAsAccount(database, deviceId, {
    timeZone,
    rootUserId: caller.rootUserId,
    date: today(timeZone),
  })
  const { real_user_id } = device ?? {}
  if (!device || real_user_id === null || real_user_id === undefined)
    throw ctx.failure(...wornDeviceErrors[1])
  if (!ctx.mayAccess(device.role, real_user_id)) throw ctx.failure(...wornDeviceErrors[0])
  return { ...device, real_user_id }
}

export const check = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/ota',
    right: 'guardian',
    summary: 'Ask whether a device is offered another firmware',
    description:
      'The phone loads it by `GET /api/v1/beta/ota/file`, carries it to the device, and reports by `POST /api/v1/beta/ota/report`. Nothing is offered while the device is in use.',
    headers: {
      'Accept-Language': {
        description: 'The language of `notes`: English or Korean.',
        examples: ['ko', 'en'],
      },
    },
  },
  wornDeviceErrors,
)
  .input(z.object({ device_id: idField }))
  .output(
    z
      .object({
        device_id: z.int(),
        now_firmware_id: z.int().meta({ description: 'The firmware that it runs' }),
        update: update.nullable().meta({ description: 'Null while nothing is offered' }),
      })
      .meta({ id: 'FirmwareCheck', description: 'What a device runs, and what it is offered' }),
  )
  .query(async ({ ctx, input: { device_id } }) => {
    const device = await askedDevice(ctx, device_id)
    const { now_firmware_id } = device
    if (device.firmware_id === null) return { device_id, now_firmware_id, update: null }
    const { firmware_id, version, hardware, size, sha256, manifest, notes_en, notes_ko } = device
    const isKorean = preferredLanguage(ctx.request.headers) === 'ko'
    return {
      device_id,
      now_firmware_id,
      update: {
        firmware_id,
        version,
        hardware,
        size,
        sha256: sha256.toString('hex'),
        manifest: manifest.toString('base64'),
        notes: isKorean ? (notes_ko ?? notes_en) : (notes_en ?? notes_ko),
      },
    }
  })
