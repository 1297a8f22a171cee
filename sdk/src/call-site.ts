/** V8's and Hermes' way to leave frames out of a stack. */
interface Captures {
  captureStackTrace?: (target: object, above: (...input: never[]) => unknown) => void
}

/** The stack of `error`, without its first line, which names the error (V8) or this package's own frame. */
const framesOf = ({ stack = '' }: Error): string => stack.slice(`${stack}\n`.indexOf('\n'))

/**
 * The same methods, but the stack of an error that they fail with begins where the app has called them, and not in the
 * network code, which is the same for all errors.
 */
export function fromCaller<Methods extends object>(methods: Methods): Methods
export function fromCaller(methods: Record<string, (...input: unknown[]) => Promise<unknown>>) {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => {
      const called = (...input: unknown[]) => {
        const site = new Error()
        const captures: Captures = Error
        captures.captureStackTrace?.(site, called)
        return method(...input).catch((error: unknown) => {
          if (error instanceof Error) error.stack = `${error.name}: ${error.message}${framesOf(site)}`
          throw error
        })
      }
      return [name, called]
    }),
  )
}
