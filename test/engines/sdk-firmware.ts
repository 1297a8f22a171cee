import type { DownloadFirmwareOptions } from '../../sdk/src/firmware.ts'
import { callEngine } from './sdk.ts'

/*
 * What tests import as `@companion/sdk/firmware` here: it runs, from the packed SDK, in another engine.
 */
export type * from '../../sdk/src/firmware.ts'

const [HASH, BY_FETCH] = [2, 3]

/** Only buffers are carried, no views of them. */
const bufferOf = (bytes: Uint8Array) => Uint8Array.from(bytes).buffer
const bytesOf = (carried: unknown) => new Uint8Array(Object(carried))

export async function downloadFirmware(options: DownloadFirmwareOptions): Promise<Uint8Array> {
  const { companion, pieces, fetch, ...more } = options
  const carried = {
    ...more,
    ...(pieces && {
      pieces: {
        read: async (name: string) => {
          const kept = await pieces.read(name)
          return kept && bufferOf(kept)
        },
        save: (name: string, bytes: unknown) => pieces.save(name, bytesOf(bytes)),
        remove: (name: string) => pieces.remove(name),
      },
    }),
  }
  if (companion) return bytesOf(await Object(companion).downloadFirmware(carried))
  const byFetch = async (headers: Record<'range' | 'if-range', string>) => {
    const response = await fetch(headers, undefined)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: await response.arrayBuffer(),
    }
  }
  return bytesOf(await callEngine(BY_FETCH, [{ ...carried, fetch: byFetch }]))
}

/** Answers a promise, as all that runs elsewhere. */
export const sha256 = (bytes: Uint8Array): Promise<unknown> => callEngine(HASH, [bufferOf(bytes)])
