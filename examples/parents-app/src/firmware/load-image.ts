import { downloadFirmware, FirmwareDownloadError } from '@companion/sdk/firmware'
import type { FirmwarePieces } from '@companion/sdk/firmware'
import { companion } from '../companion/client'
import type { OfferedUpdate } from './device-link'
import { imagePieces } from './image-pieces'

/** Keeps what was loaded of images on this phone. */
export interface ImagePieces extends Pick<FirmwarePieces, 'read' | 'save'> {
  /** Forgets all pieces. */
  forget: () => Promise<void>
}

/**
 * Loads an image from the service, behind the pieces that are there, and checks its hash: the whole image stays on this phone until
 * `forgetImages`, so that it needs no connection to be sent again.
 */
export async function loadImage(
  device_id: number,
  update: OfferedUpdate,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array | FirmwareDownloadError['reason']> {
  try {
    return await downloadFirmware({
      companion,
      device_id,
      ...update,
      pieces: { ...imagePieces, remove: async () => undefined },
      signal,
      onProgress: ({ loaded }) => onBytes(loaded),
    })
  } catch (error) {
    if (error instanceof FirmwareDownloadError) return error.reason
    throw error
  }
}

/** Forgets what was loaded. If that fails, the phone deletes it some day. */
export const forgetImages = (): Promise<void> => imagePieces.forget().catch(() => undefined)
