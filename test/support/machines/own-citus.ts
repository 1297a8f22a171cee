import { afterAll, beforeAll } from 'vitest'
import type { Citus, CitusOptions } from './citus.ts'
import { cloneTemplate } from '../database.ts'
import type { OwnDatabase } from '../database.ts'
import { startDistributed } from '../template.ts'

export interface OwnCitus extends Citus {
  /** A database of its own; `drop` removes it. */
  cloneDatabase: () => Promise<OwnDatabase>
}

/**
 * Starts a Citus for one test file, for tests that delay its commits or end its nodes. `fill` fills the template, which is
 * otherwise migrated and distributed.
 */
export function useCitus(options: CitusOptions, fill?: (url: string) => Promise<void>): OwnCitus {
  let running: OwnCitus | undefined
  beforeAll(async () => {
    const citus = await startDistributed(options, fill)
    running = { ...citus, cloneDatabase: () => cloneTemplate(citus.urls) }
  })
  afterAll(() => running?.stop())
  // The members are looked up when they are used, because the nodes start after this function returns.
  return new Proxy({} as OwnCitus, {
    get: (_target, key) => {
      if (!running) throw new Error('Citus is not running yet: use it inside a test or hook')
      return Reflect.get(running, key)
    },
  })
}
