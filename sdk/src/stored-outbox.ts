import { outboxFull, property } from './errors.ts'
import { inTurn } from './in-turn.ts'
import { storedItem } from './storage.ts'
import type { CompanionStorage } from './storage.ts'
import type { Devlog, SaveEventInput } from './types.ts'

/** An item that the outbox keeps until the service has it. */
export type OutboxContent = { kind: 'event'; input: SaveEventInput } | { kind: 'devlog'; input: Devlog }

/** Why the service refuses an item. */
export interface OutboxError {
  /** Absent for a log that was refused among others. */
  status?: number
  /** The service's text, or its list of faulty fields as JSON. */
  detail: string
}

export type OutboxItem = OutboxContent & {
  id: number
  /** When the app queued the item, ISO 8601 in UTC. */
  queued_at: string
  /** Present on an item that is set aside: it is not sent again until `retry`. */
  error?: OutboxError
}

const MOST_ITEMS = 2000
/** React Native's AsyncStorage holds 6 MB on Android. It writes items above 2 MB but cannot read them back. */
const MOST_BYTES = 4_000_000
const MOST_BYTES_OF_ONE = 250_000
/** Number of accesses at once, each with its own time limit, because a storage may run them one after the other. */
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

/**
 * Most bytes of a text in UTF-8: 3 for a character that is not ASCII, with both halves of a surrogate pair counted.
 */
const bytesIn = (text: string): number => text.length + 2 * (text.match(/[^\0-\x7f]/g)?.length ?? 0)

/** The part of the outbox that survives a restart of the app. */
export const copied = <Content>(contents: readonly Content[]): Content[] =>
  JSON.parse(JSON.stringify(contents))

/** One account's stored items, in order. When a method has resolved, its change is saved. */
export interface StoredOutbox {
  items(): Promise<readonly OutboxItem[]>
  /** Adds all items, or none when there is no room. */
  add(contents: readonly OutboxContent[]): Promise<OutboxItem[]>
  replace(item: OutboxItem): Promise<void>
  remove(items: readonly OutboxItem[]): Promise<void>
  clear(): Promise<void>
}

/**
 * Each outbox item is one item of the storage, and another storage item lists their numbers. An item is written
 * before the list that names it, and removed before the list that no longer does. So an app that is killed in between
 * loses and repeats nothing.
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
        // An app that was killed while it saved items has left items that no list names.
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
