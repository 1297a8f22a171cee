import type { IteratingMethod } from './iterations.ts'
import type { MethodKind, Procedure } from './method-kinds.ts'
import type { RawClient } from './raw-client.ts'

/** V8's and Hermes' way to leave frames out of a stack. */
interface Captures {
  captureStackTrace?: (target: object, above: (...input: never[]) => unknown) => void
}

/** The stack of `error`, without its first line, which names the error (V8) or this package's own frame. */
const framesOf = ({ stack = '' }: Error): string => stack.slice(`${stack}\n`.indexOf('\n'))

/**
 * The methods of a module, each of which calls its procedure as its kind does. The stack of an error that they fail with begins
 * where the app has called them, and not in the network code, which is the same for all errors.
 */
function createModuleMethods(
  client: RawClient,
  module: string,
  kinds: Record<string, MethodKind | IteratingMethod>,
): object {
  const methods: object = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => {
      if (typeof kind !== 'function')
        return [name, (...input: never[]) => kind.over(Reflect.get(methods, kind.of))(...input)]
      const path = `${module}.${name}`
      const procedure: Procedure = {
        query: (input, options) => client.query(path, input, options),
        mutate: (input, options) => client.mutation(path, input, options),
      }
      const call = kind(procedure)
      const called = (...input: never[]) => {
        const site = new Error()
        const captures: Captures = Error
        captures.captureStackTrace?.(site, called)
        return call(...input).catch((error: unknown) => {
          if (error instanceof Error) error.stack = `${error.name}: ${error.message}${framesOf(site)}`
          throw error
        })
      }
      return [name, called]
    }),
  )
  return methods
}

/** The methods of all modules; `kinds` says of each module of what kind its methods are. */
export function createMethods<Modules extends object>(
  client: RawClient,
  kinds: { [Name in keyof Modules]: Record<keyof Modules[Name], MethodKind | IteratingMethod> },
): Modules
export function createMethods(
  client: RawClient,
  kinds: Record<string, Record<string, MethodKind | IteratingMethod>>,
) {
  return Object.fromEntries(
    Object.entries(kinds).map(([module, each]) => [module, createModuleMethods(client, module, each)]),
  )
}
