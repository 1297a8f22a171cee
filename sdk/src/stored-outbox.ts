import { outboxFull, property } from './errors.ts'
import { inTurn } from './in-turn.ts'
import { storedItem } from './storage.ts'
import type { CompanionStorage } from './storage.ts'
import type { Devlog, SaveEventInput } from './types.ts'

/** What the outbox keeps until the service has it. */
export type OutboxContent = { kind: 'event'; input: SaveEventInput } | { kind: 'devlog'; input: Devlog }

/** Why the service does not take an item. */
export interface OutboxError {
  /** Left out for a log that was refused among others. */
  status?: number
  /** The service's text, or its list of what is wrong as JSON. */
  detail: string
}

export type OutboxItem = OutboxContent & {
  id: number
  /** When it was put in, ISO 8601 in UTC. */
  queued_at: string
  /** Set aside: not sent again before `retry`. */
  error?: OutboxError
}

const MOST_ITEMS = 2000
/** React Native's AsyncStorage holds 6 MB on Android, and can write but not read an item of more than 2. */
const MOST_BYTES = 4_000_000
const MOST_BYTES_OF_ONE = 250_000
/** So many at once, each with its time limit: a storage may do them one after the other. */
const AT_ONCE = 50

async function inParts<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  }
  return results
}

/** UTF-8 has at most 3 bytes for what is not ASCII, each half of a pair of surrogates counted. */
const bytesIn = (text: string): number => text.length + 2 * (text.match(/[^\0-\x7f]/g)?.length ?? 0)

/** What will be there after a restart of the app. */
export const copied = <Content>(contents: readonly Content[]): Content[] =>
  JSON.parse(JSON.stringify(contents))

/** The items of one account as they are kept, in their order. What a method has resolved to is saved. */
export interface StoredOutbox {
  items(): Promise<readonly OutboxItem[]>
  /** All or, when there is no room, none. */
  add(contents: readonly OutboxContent[]): Promise<OutboxItem[]>
  replace(item: OutboxItem): Promise<void>
  remove(items: readonly OutboxItem[]): Promise<void>
  clear(): Promise<void>
}

/**
 * Every item is kept in an item of the storage, and the list of their numbers in another. An item is written before the
 * list that names it and removed before the list that does not: an app killed in between loses and repeats nothing.
 */
export function storedOutbox(storage: CompanionStorage, key: string, ms: number): StoredOutbox {
  const step = inTurn()
  const list = storedItem(storage, key, ms)
  const stored = (id: number) => storedItem(storage, `${key}.${id}`, ms)
  let known: { next: number; items: Map<number, { item: OutboxItem; size: number }> } | undefined

  async function load() {
    if (known) return known
    const { next, ids } = parseList(await list.read())
    const items = new Map<number, { item: OutboxItem; size: number }>()
    for (const text of await inParts(ids, (id) => stored(id).read())) {
      const item = parseItem(text)
      if (item) items.set(item.id, { item, size: bytesIn(text ?? '') })
    }
    known = { next, items }
    return known
  }
  const saveList = (next: number, ids: number[]) => list.write(JSON.stringify({ version: 1, next, ids }))

  return {
    items: () => step(async () => Array.from((await load()).items.values(), ({ item }) => item)),
    add: (contents) =>
      step(async () => {
        const box = await load()
        const queued_at = new Date().toISOString()
        const added = contents.map((content, index): OutboxItem => ({
          ...content,
          id: box.next + index,
          queued_at,
        }))
        if (!added.every(isItem)) throw new TypeError('A note or a log is an object')
        const texts = added.map((item) => {
          const text = JSON.stringify(item)
          return { item, text, size: bytesIn(text) }
        })
        const size = [...box.items.values(), ...texts].reduce((sum, each) => sum + each.size, 0)
        if (
          box.items.size + added.length > MOST_ITEMS ||
          size > MOST_BYTES ||
          texts.some((each) => each.size > MOST_BYTES_OF_ONE)
        )
          throw outboxFull()
        await inParts(texts, ({ item, text }) => stored(item.id).write(text))
        const next = box.next + added.length
        await saveList(next, [...box.items.keys(), ...added.map(({ id }) => id)])
        box.next = next
        for (const { item, size } of texts) box.items.set(item.id, { item, size })
        return added
      }),
    replace: (item) =>
      step(async () => {
        const { items } = await load()
        if (!items.has(item.id)) return
        const text = JSON.stringify(item)
        await stored(item.id).write(text)
        items.set(item.id, { item, size: bytesIn(text) })
      }),
    remove: (removed) =>
      step(async () => {
        const { next, items } = await load()
        const ids = removed.map(({ id }) => id).filter((id) => items.has(id))
        if (ids.length === 0) return
        await inParts(ids, (id) => stored(id).remove())
        for (const id of ids) items.delete(id)
        await saveList(next, [...items.keys()])
      }),
    clear: () =>
      step(async () => {
        const { next, items } = await load()
        await inParts([...items.keys()], (id) => stored(id).remove())
        known = undefined
        await list.remove()
        // An app killed while it saved items has left them without being named in the list.
        for (let id = next; parseItem(await stored(id).read()); id++) await stored(id).remove()
      }),
  }
}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function parseList(text: unknown): { next: number; ids: number[] } {
  const parsed = parse(text)
  const next = property(parsed, 'next')
  const ids = property(parsed, 'ids')
  if (property(parsed, 'version') !== 1 || typeof next !== 'number' || !Array.isArray(ids)) {
    return { next: 1, ids: [] }
  }
  return { next, ids: ids.filter((id): id is number => typeof id === 'number') }
}

function parseItem(text: unknown): OutboxItem | undefined {
  const parsed = parse(text)
  return isItem(parsed) ? parsed : undefined
}

const isItem = (value: unknown): value is OutboxItem =>
  ['event', 'devlog'].includes(String(property(value, 'kind'))) &&
  typeof property(value, 'id') === 'number' &&
  typeof property(value, 'queued_at') === 'string' &&
  property(value, 'input') !== null &&
  typeof property(value, 'input') === 'object'
