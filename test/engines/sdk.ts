import { join } from 'node:path'
import { inject } from 'vitest'
import type { Companion, CompanionOptions } from '../../sdk/src/index.ts'
import { ENGINES } from './engines.ts'
import type { Engine } from './engines.ts'

/*
 * What tests import as `@companion/sdk` here: clients that run, from the packed SDK, in another engine.
 */
export * from '../../sdk/src/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine that runs the SDK. */
    engine: string
    /** The folder with the SDK for each engine. */
    bundles: string
  }
}

const [MAKE, CALL] = [0, 1]
let started: Promise<Engine> | undefined

/** Ends the engine of a test file, with all that its clients still want to do. */
export async function stopEngine(): Promise<void> {
  const running = started
  started = undefined
  await (await running)?.stop()
}

function start(): Promise<Engine> {
  const engine = inject('engine')
  const open = ENGINES[engine]
  if (!open) throw new Error(`There is no engine ${engine}`)
  return (started ??= open(join(inject('bundles'), `${engine}.js`)))
}

/** Calls what the engine offers, by its number. */
export const callEngine = async (target: number, parameters: unknown[]): Promise<unknown> =>
  (await start()).wire.call(target, parameters)

/** Answers as that of the test, for the other end: a Response cannot be carried. */
const fetchFor =
  (given: NonNullable<CompanionOptions['fetch']>) =>
  async (...parameters: Parameters<typeof fetch>) => {
    const response = await given(...parameters)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: await response.arrayBuffer(),
    }
  }

let fetches = 0

async function make({ fetch: given, ...options }: CompanionOptions) {
  const { wire, offerFetch } = await start()
  const fetchNumber = ++fetches
  if (given) offerFetch(fetchNumber, given)
  const fetched = given ? { fetch: fetchFor(given), fetchNumber } : {}
  const client = await wire.call(MAKE, [{ ...options, ...fetched }])
  return (path: string[], parameters: unknown[]) => wire.call(CALL, [client, path.join('.'), ...parameters])
}

type Perform = Awaited<ReturnType<typeof make>>

function room(client: Promise<Perform>, path: string[]): object {
  return new Proxy(() => {}, {
    get: (_target, key) =>
      typeof key === 'string' && key !== 'then' ? room(client, [...path, key]) : undefined,
    apply: (_target, _this, parameters) => client.then((perform) => perform(path, parameters)),
  })
}

/** Makes a client in the engine. Each of its methods answers a promise. */
export function createCompanion(options: CompanionOptions): Companion {
  const client = make(options)
  client.catch(() => {})
  return room(client, []) as Companion
}
