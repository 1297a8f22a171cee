import { createHash } from 'node:crypto'

/** What a device is offered: the number of a firmware and the manifest that its maker has signed. */
export interface Offer {
  firmwareId: number
  manifest: Uint8Array
}

/** Bytes of an image that the device asks for at once. */
const PIECE = 65_536

/** Makes a device's calls for its firmware. They throw an Error in words where the service does not answer as it documents. */
export function firmwareCalls(
  url: string,
  uniqueId: string,
  { timeout, fetch = globalThis.fetch }: { timeout: number; fetch?: typeof globalThis.fetch },
) {
  const at = (path: string) => new URL(`${url.replace(/\/+$/, '')}/api/v1/gamma/device/firmware${path}`)
  const call = async (path: string, init: RequestInit = {}) =>
    fetch(at(path), { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeout) })
  const named = `?unique_id=${uniqueId}`

  return {
    /** Asks for another firmware than the one that runs; null if none is offered. */
    async ask(running: number): Promise<Offer | null> {
      const response = await call(named, { headers: { 'x-firmware': String(running) } })
      const manifest = new Uint8Array(await response.arrayBuffer())
      if (response.status === 204) return null
      const firmwareId = Number(response.headers.get('x-firmware-id'))
      if (response.status === 200 && firmwareId > 0) return { firmwareId, manifest }
      throw unexpected('asked for firmware', response.status)
    },

    /** Loads an image piece by piece, and compares it with the SHA-256 of its `ETag`. Returns its size in bytes. */
    async load(firmwareId: number): Promise<number> {
      const hash = createHash('sha256')
      for (let from = 0; ;) {
        const range = `bytes=${from}-${from + PIECE - 1}`
        const response = await call(`/${firmwareId}${named}`, { headers: { range } })
        const bytes = new Uint8Array(await response.arrayBuffer())
        const [, first, size] =
          /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
        if (response.status !== 206 || Number(first) !== from || bytes.length === 0)
          throw unexpected('asked for a part of the image', response.status)
        hash.update(bytes)
        from += bytes.length
        if (from < Number(size)) continue
        if (response.headers.get('etag') !== `"${hash.digest('hex')}"`)
          throw new Error('The image is not that of its ETag')
        return from
      }
    },

    /** Reports what became of a firmware. */
    async report(
      firmwareId: number,
      outcome: 'started' | 'installed' | 'failed' | 'rolled_back',
    ): Promise<void> {
      const response = await call('/report', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ unique_id: uniqueId, firmware_id: firmwareId, outcome }),
      })
      await response.arrayBuffer()
      if (response.status !== 200) throw unexpected(`reported ${outcome}`, response.status)
    },
  }
}

const unexpected = (what: string, status: number) => new Error(`A device ${what} and got ${status}`)
