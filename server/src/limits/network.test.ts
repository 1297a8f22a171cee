import { BlockList, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkOf, siteNetwork } from './network.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  // As some proxies write a client into X-Forwarded-For.
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
  ['', 'unknown'],
  ['_hidden', 'unknown'],
  ['x'.repeat(8000), 'unknown'],
])('the client %j is counted as %j', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('two IPv6 addresses are one client exactly when their first 64 bits are the same', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), fc.boolean(), (one, other, isNear) => {
      const given = isNear ? `${networkOf(one).replace('::/64', '')}:1:2:3:4` : other
      fc.pre([one, given].every((each) => isIPv6(each) && networkOf(each).includes(':')))
      const network = new BlockList()
      network.addSubnet(one, 64, 'ipv6')
      expect(networkOf(given) === networkOf(one)).toBe(network.check(given, 'ipv6'))
    }),
  )
})

test('only IPv6 has a site, which many networks share', () => {
  expect(siteNetwork('2001:db8:1:2::1')).toBe('2001:db8:1::/48')
  expect(siteNetwork('2001:db8:1:ffff::1')).toBe('2001:db8:1::/48')
  expect(siteNetwork('2001:db8:2::1')).toBe('2001:db8:2::/48')
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', 'nothing'])
    expect(siteNetwork(address)).toBe(undefined)
})
