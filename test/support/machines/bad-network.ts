import { createRandom } from '@companion/device-simulator'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startProxy } from './proxy.ts'
import type { Proxy } from './proxy.ts'
import type { TestServer } from '../server.ts'

const LOST = 0.3

/** The time limit of a client here. No call shall end by it, and a busy machine may take long. */
export const TIMEOUT_MS = 240_000

/** A network to the service that loses answers at random while it is bad. */
export function useBadNetwork(server: TestServer) {
  const random = createRandom(20_261_120)
  let proxy: Proxy
  const network = { url: () => proxy.url, random, isBad: false, lost: 0 }
  beforeAll(async () => {
    proxy = await startProxy(server.url, () => {
      const isLost = network.isBad && random.chance(LOST)
      if (isLost) network.lost++
      return isLost
    })
  })
  afterAll(() => proxy.close())
  afterEach(() => Object.assign(network, { isBad: false, lost: 0 }))
  return network
}
