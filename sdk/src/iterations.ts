import type { CallOptions } from './call-options.ts'
import { errorResponseOf, isOffline } from './errors.ts'
import { rejectOnAbort } from './time-limit.ts'

interface Page {
  items: readonly unknown[]
  next: string | null
  has_more?: boolean
}

type List = (input: object, options?: CallOptions) => Promise<Page>

/** A method that goes through the responses of another method of its module, which is called `of`. */
export interface IteratingMethod {
  of: string
  over: (list: List) => (...input: never[]) => object
}

/** Goes through the entries of the pages that `next` answers, until it answers none. Generators would need a newer Hermes. */
function entriesOf<Entry>(next: () => Promise<readonly Entry[] | undefined>): AsyncIterableIterator<Entry> {
  let entries: Iterator<Entry> | undefined = [][Symbol.iterator]()
  // Of several that ask at once, each gets an entry of its own.
  let last: Promise<unknown> = Promise.resolve()
  const end = { done: true, value: undefined } as const
  const advance = async (): Promise<IteratorResult<Entry, undefined>> => {
    while (entries) {
      const { done, value } = entries.next()
      if (!done) return { done: false, value }
      // An error ends it.
      entries = undefined
      entries = (await next())?.[Symbol.iterator]()
    }
    return end
  }
  const iterator = {
    next() {
      const advanced = last.then(advance)
      last = advanced.catch(() => {})
      return advanced
    },
    async return(): Promise<IteratorResult<Entry, undefined>> {
      entries = undefined
      return end
    },
    [Symbol.asyncIterator]: () => iterator,
    // Hermes lacks the symbol, and Babel's `for await` looks for this name there.
    '@@asyncIterator': () => iterator,
  }
  return iterator
}

/** Goes through all pages of a list. */
export const createAllPagesMethod = (of: string): IteratingMethod => ({
  of,
  over: (list) => (input: object, options?: CallOptions) => {
    let after: string | null | undefined
    return entriesOf(async () => {
      if (after === null) return undefined
      const { items, next } = await list(after === undefined ? input : { ...input, after }, options)
      after = next
      return items
    })
  },
})

export interface FollowOptions {
  /** The cursor behind which to begin: the last that `save` got. Without it, with the oldest change that is kept (90 days). */
  after?: string | undefined
  /** Ends the loop, between two changes. */
  signal?: AbortSignal | undefined
  /**
   * Keeps the cursor, once the loop asks for what comes behind all changes before it. Kept beside the work with the changes
   * it loses none; after a crash some come again.
   */
  save?: ((cursor: string) => Promise<unknown> | void) | undefined
  /** Ends a pause where it settles. */
  news?: (() => Promise<unknown>) | undefined
}

/** Thrown by `changes.follow` where changes behind the cursor are no longer kept: read all again, and follow from `latest`. */
export class CursorLost extends Error {
  override readonly name = 'CursorLost'
}

/** The pause before it asks again, in milliseconds. */
const PAUSE_MS = 5000
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Goes through changes, and waits for more of them. */
export const createFollowMethod = (of: string): IteratingMethod => ({
  of,
  over:
    (list) =>
    ({ after, signal, save, news }: FollowOptions = {}) => {
      const { signal: stopped } = signal ? { signal } : new AbortController()
      let cursor = after
      let isSaved = true
      const page = async (): Promise<Page['items']> => {
        for (;;) {
          if (!isSaved && cursor !== undefined) await save?.(cursor)
          isSaved = true
          const told = news?.() ?? new Promise(() => {})
          const response = await list(cursor === undefined ? {} : { after: cursor }, {
            signal: stopped,
          }).catch((error: unknown) => {
            const { status = 0 } = errorResponseOf(error) ?? {}
            if (status === 410) throw new CursorLost('Cursor is expired', { cause: error })
            if (!isOffline(error) && status !== 429 && status < 500) throw error
            return undefined
          })
          isSaved = response === undefined || response.next === cursor
          if (response?.next) cursor = response.next
          if (response && response.items.length > 0) return response.items
          if (!response?.has_more) await rejectOnAbort(stopped, Promise.race([pause(), told]))
        }
      }
      return entriesOf(() =>
        page().catch((error: unknown) => {
          if (stopped.aborted) return undefined
          throw error
        }),
      )
    },
})
