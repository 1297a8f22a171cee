import { createCompanion } from '@companion/sdk'
import { downloadFirmware, sha256 } from '@companion/sdk/firmware'
import { openWire } from './wire.ts'

/*
 * Runs in the engine beside the packed SDK: makes its clients and calls their methods, as the test at the other end asks.
 */

declare global {
  /** Makes a `fetch` out of the test's, where the engine has a network of its own that can carry it. */
  var fetchOfHost: ((fetchNumber: number) => typeof fetch) | undefined
}

// The test may have moved its clock; between its lines time passes by this engine's own.
const clock = Date.now.bind(Date)
let ahead = 0
Date.now = () => clock() + ahead
const wire = openWire(
  (line) => globalThis.tellHost(line),
  (now) => {
    ahead = now - clock()
  },
)
globalThis.hearHost = (line) => wire.receive(line)

const clients: unknown[] = []

type Loading = Parameters<typeof downloadFirmware>[0]

/** Only buffers are carried, no views of them. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  buffer.slice(byteOffset, byteOffset + byteLength)

async function loadFirmware({ pieces, ...options }: Loading): Promise<ArrayBufferLike> {
  const image = await downloadFirmware({
    ...options,
    ...(pieces && {
      pieces: {
        read: async (name) => {
          const kept: unknown = await pieces.read(name)
          return kept === undefined ? undefined : new Uint8Array(Object(kept))
        },
        save: (name, bytes) => pieces.save(name, Object(bufferOf(bytes))),
        remove: (name) => pieces.remove(name),
      },
    }),
  })
  return bufferOf(image)
}

/** What the test answers instead of a Response, which cannot be carried. */
interface Fetched {
  status: number
  headers: Record<string, string>
  bytes: ArrayBuffer
}
type HostFetch = (url: string, init: object) => Promise<Fetched>

const addressOf = (url: string | URL | Request) => (url instanceof Request ? url.url : url.toString())

const fetchBy =
  (host: HostFetch): typeof fetch =>
  async (url, init = {}) => {
    const { method, headers, body } = init
    const fetched = await host(addressOf(url), { method, headers, body })
    const empty = [204, 304].includes(fetched.status)
    return new Response(empty ? null : fetched.bytes, { status: fetched.status, headers: fetched.headers })
  }

interface GivenOptions extends Omit<Parameters<typeof createCompanion>[0], 'fetch'> {
  fetch?: HostFetch
  fetchNumber?: number
}

/** React Native's own `fetch` gives no bytes of a file: an app that passes one has another. */
function fetchAs(host: HostFetch, fetchNumber: number): typeof fetch {
  const [ofHost, ownFetch] = [globalThis.fetchOfHost?.(fetchNumber), fetchBy(host)]
  return (url, init) => (addressOf(url).includes('/trpc/') && ofHost ? ofHost : ownFetch)(url, init)
}

wire.offer((given) => {
  const { fetch: host, fetchNumber = 0, ...options }: GivenOptions = Object(given)
  const client = createCompanion({ ...options, ...(host ? { fetch: fetchAs(host, fetchNumber) } : {}) })
  const load = (more: unknown) => loadFirmware({ ...Object(more), companion: client })
  return clients.push({ ...client, downloadFirmware: load }) - 1
})
wire.offer((client, path, ...parameters) => {
  const names = String(path).split('.')
  let owner: unknown
  let value: unknown = clients[Number(client)]
  for (const name of names) {
    owner = value
    value = Reflect.get(Object(value), name)
  }
  return typeof value === 'function' ? Reflect.apply(value, owner, parameters) : value
})
wire.offer((bytes) => sha256(new Uint8Array(Object(bytes))))
wire.offer((options) => {
  const { fetch: host, ...more }: { fetch: (headers: object) => Promise<Fetched> } = Object(options)
  return loadFirmware({
    ...Object(more),
    fetch: async (headers: object) => {
      const { status, headers: received, bytes } = await host(headers)
      return new Response(bytes, { status, headers: received })
    },
  })
})
