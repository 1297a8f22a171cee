import { isIPv4, isIPv6 } from 'node:net'

const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/
const MAPPED = ['0', '0', '0', '0', '0', 'ffff']

/**
 * The client that a network address stands for. An IPv4 address is one client, also where IPv6 carries it
 * (RFC 4291, 2.5.5.2). An IPv6 address counts by its /64: that much is given to one subscriber (RFC 6177), who may
 * call from every address of it. Text that is no address cannot be told apart, and is one client.
 */
export function networkOf(address: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(address) ?? []
  const bare = bracketed ?? dotted ?? address
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return 'unknown'
  const groups = groupsOf(bare)
  return MAPPED.every((group, n) => groups[n] === group)
    ? groups.slice(6).flatMap(bytesOf).join('.')
    : `${groups.slice(0, 4).join(':')}::/64`
}

/** The /48 that an IPv6 address lies in, which is what a whole site is given; undefined of any other. */
export function siteNetwork(address: string): string | undefined {
  const network = networkOf(address)
  return network.endsWith('/64') ? `${network.split(':', 3).join(':')}::/48` : undefined
}

/** The eight groups of an IPv6 address, each without leading zeros. */
function groupsOf(address: string): string[] {
  // A URL has one spelling for every address. It knows no zone (`%eth0`).
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`)
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

const bytesOf = (group: string) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]
