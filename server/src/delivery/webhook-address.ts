import dns from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Networks that are not of the public internet, by IANA's registry of special-purpose addresses. */
const special4 = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
)

/** The same of IPv6, and all that is not of its public part. Apart from the first list, whose networks have addresses here too. */
const special6 = networks(
  '::/3',
  // Addresses that hold another address (Teredo, 6to4), and documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
)

const loopback = networks('127.0.0.0/8', '::1/128')

function networks(...all: string[]): BlockList {
  const list = new BlockList()
  for (const network of all) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

const isIn = (list: BlockList, address: string) => list.check(address, familyOf(address))
const isSpecial = (address: string) => isIn(isIP(address) === 6 ? special6 : special4, address)

/** Thrown for a receiver to which nothing may be sent. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

/**
 * Resolves the host of a webhook to the addresses that may be connected to, without a second look at its name: in production
 * `https` to public addresses; elsewhere any `https`, and `http` to this machine. Throws `ForbiddenAddress` if one of
 * them is none of these. Names are asked of the configured DNS servers themselves, because the system's own resolver holds
 * a thread for as long as a server does not answer.
 */
export async function addressesOf(
  url: URL,
  { production, signal }: { production: boolean; signal: AbortSignal },
): Promise<string[]> {
  if (url.protocol !== 'https:' && (production || url.protocol !== 'http:'))
    throw new ForbiddenAddress('must be a URL that starts with https://')
  if (url.username !== '' || url.password !== '') throw new ForbiddenAddress('must not hold a password')
  const addresses = await lookUp(url.hostname.replaceAll(/^\[|\]$/g, ''), signal)
  if (production && addresses.some(isSpecial)) throw new ForbiddenAddress('must lead to a public address')
  if (url.protocol === 'http:' && !addresses.every((address) => isIn(loopback, address)))
    throw new ForbiddenAddress('must start with https:// unless it leads to this machine')
  return addresses
}

async function lookUp(host: string, signal: AbortSignal): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return ['127.0.0.1']
  const resolver = new Resolver({ tries: 2 })
  // By the module, whose functions are replaced when its servers are set.
  resolver.setServers(dns.getServers())
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    signal.throwIfAborted()
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (addresses.length === 0) throw new Error(`${host} has no address`)
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
