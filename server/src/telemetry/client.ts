import { Counter } from 'prom-client'
import type { MinClientVersions } from '../config/min-client-versions.ts'

/** A program and its version, as `X-Client` names them. */
interface Product {
  name: string
  version: string
}

/** What `X-Client` says of the caller: its programs, the app before what it is built on, and where they run. */
export interface ClientInfo {
  products: readonly Product[]
  platform: string
}

const CLIENT = /^([\w.-]{1,64}\/[\w.+-]{1,32}(?: [\w.-]{1,64}\/[\w.+-]{1,32}){0,3})(?: \(([\w .-]{1,32})\))?$/

/** Reads `my-app/1.2 companion-sdk/0.1.0 (browser)`. A header of another form counts as none. */
export function readClient(header: string | string[] | undefined): ClientInfo | undefined {
  const [, names, platform = ''] = typeof header === 'string' ? (CLIENT.exec(header) ?? []) : []
  if (names === undefined) return undefined
  const products = names.split(' ').map((each) => {
    const [name = '', version = ''] = each.split('/')
    return { name, version }
  })
  return { products, platform }
}

/** Whether every program of `client` has at least the version that `least` demands. What no version is, is not judged. */
export const isSupported = (client: ClientInfo | undefined, least: MinClientVersions): boolean =>
  (client?.products ?? []).every(({ name, version }) => {
    const demanded = Object.hasOwn(least, name) ? numbersOf(least[name] ?? '') : []
    const given = numbersOf(version)
    const place = demanded.findIndex((number, n) => number !== given[n])
    return given.length === 0 || place === -1 || (given[place] ?? 0) > (demanded[place] ?? 0)
  })

/** The numbers of a version, `1.2` as 1, 2, 0; none if it does not begin with one. */
function numbersOf(version: string): number[] {
  const [, ...numbers] = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(version) ?? []
  return numbers.map((number) => Number(number ?? 0))
}

const requests = new Counter({
  name: 'companion_client_version_requests_total',
  help: 'Requests of clients that send X-Client, by client, version and platform.',
  labelNames: ['client', 'version', 'platform'],
})

/** Callers write these labels: beyond this number of different ones, all further ones count together. */
const MOST_SERIES = 100
const seen = new Set<string>()

/** Counts a request of `client`, once for each of its programs. */
export function countClient({ products, platform }: ClientInfo): void {
  for (const { name, version } of products) {
    const key = JSON.stringify([name, version, platform])
    if (seen.size < MOST_SERIES) seen.add(key)
    requests.inc(
      seen.has(key)
        ? { client: name, version, platform }
        : { client: 'other', version: 'other', platform: 'other' },
    )
  }
}
