import { companion } from '../companion/client'
import type { OfferedUpdate } from './device-link'

/** 8 MB over a slow connection. */
const TIMEOUT = 600_000

const loaded = new Map<string, Uint8Array>()

/** Loads the image of an update from the service, or resolves to what was loaded before. */
export async function loadImage(
  device_id: number,
  { firmware_id, sha256 }: OfferedUpdate,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const known = loaded.get(sha256)
  if (known) return known
  const { bytes } = await companion.firmware.download(
    { device_id, firmware_id },
    { onProgress: ({ loaded: count }) => onBytes(count), signal, timeout: TIMEOUT },
  )
  const image = new Uint8Array(bytes)
  loaded.set(sha256, image)
  return image
}

/** Forgets what was loaded of an update. */
export const forgetImage = ({ sha256 }: OfferedUpdate): void => void loaded.delete(sha256)
