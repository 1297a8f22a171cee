import { describe, expect, test } from 'vitest'
import { postWebhook } from '@companion/server/delivery/post-webhook.ts'
import { addressesOf, ForbiddenAddress } from '@companion/server/delivery/webhook-address.ts'
import { useDns } from '../support/outside/dns.ts'
import { listen } from '../support/outside/local-server.ts'

const never = new AbortController().signal
const judge = (url: string, production = true) => addressesOf(new URL(url), { production, signal: never })

describe('in production', () => {
  test.each([
    'https://93.184.216.34/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'https://8.8.8.8:8443/hook',
  ])('%s may be told', async (url) => {
    expect(await judge(url)).toHaveLength(1)
  })

  test.each([
    'http://93.184.216.34/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://[2001:db8::1]/',
    'https://[ff02::1]/',
  ])('%s may not', async (url) => {
    await expect(judge(url)).rejects.toThrow(ForbiddenAddress)
  })

  test('a name is judged by all its addresses', async () => {
    await useDns({
      'good.test': { first: ['93.184.216.34', '93.184.216.35'] },
      'inside.test': { first: ['10.0.0.1'] },
      'mixed.test': { first: ['93.184.216.34', '127.0.0.1'] },
      'nothing.test': { first: [] },
    })
    expect(await judge('https://good.test/')).toEqual(['93.184.216.34', '93.184.216.35'])
    for (const name of ['inside', 'mixed'])
      await expect(judge(`https://${name}.test/`)).rejects.toThrow(ForbiddenAddress)
    await expect(judge('https://nothing.test/')).rejects.toThrow('nothing.test has no address')
  })
})

test('elsewhere http leads to this machine alone, by its name too', async () => {
  await useDns({ 'here.test': { first: ['127.0.0.2'] }, 'there.test': { first: ['10.0.0.1'] } })
  expect(await judge('http://127.0.0.1/', false)).toEqual(['127.0.0.1'])
  expect(await judge('http://[::1]/', false)).toEqual(['::1'])
  expect(await judge('http://localhost/', false)).toEqual(['127.0.0.1'])
  expect(await judge('http://here.test/', false)).toEqual(['127.0.0.2'])
  expect(await judge('https://10.0.0.1/', false)).toEqual(['10.0.0.1'])
  await expect(judge('http://there.test/', false)).rejects.toThrow(ForbiddenAddress)
})

test('the address that was judged is the one that is connected to', async () => {
  const receiver = await listen((response) => void response.writeHead(204).end())
  const { port } = new URL(receiver.url)
  const { asked } = await useDns({ 'turning.test': { first: ['127.0.0.1'], later: ['10.0.0.1'] } })
  const post = () =>
    postWebhook(
      {
        url: `http://turning.test:${port}/`,
        id: 'msg',
        secrets: [],
        content: { type: 'webhook.verify', timestamp: '', data: { challenge: '' } },
      },
      { production: false, signal: never },
    )
  expect(await post()).toMatchObject({ status: 204 })
  expect(asked).toEqual(['turning.test'])
  expect(receiver.received[0]?.headers.host).toBe(`turning.test:${port}`)
  await expect(post()).rejects.toThrow(ForbiddenAddress)
  expect(receiver.received).toHaveLength(1)
})

test('a DNS server that does not answer is given up with the try', async () => {
  await useDns({})
  const signal = AbortSignal.timeout(50)
  await expect(addressesOf(new URL('https://silent.test/'), { production: true, signal })).rejects.toThrow(
    /timeout/,
  )
})
