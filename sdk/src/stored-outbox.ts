import { outboxFullError, readProperty } from './errors.ts'
import { serialQueue } from './serial-queue.ts'
import { randomKey } from './random-key.ts'
import { listStorageKeys, createStoredItem, canListKeys } from './storage.ts'
import type { CompanionStorage } from './storage.ts'
import type { ReportFirmwareInput } from './operations/inputs.ts'
import type { Devlog, SaveEventInput } from './types.ts'

/** An item that the outbox keeps until the service has it. */
export type OutboxContent =
  | { kind: 'event'; input: SaveEventInput }
  | { kind: 'devlog'; input: Devlog }
  | { kind: 'firmware'; input: ReportFirmwareInput }

/** Why the service refuses an item. */
export interface OutboxError {
  /** Absent for a log that was refused among others. */
  status?: number
  /** The service's text, or its list of invalid fields as JSON. */
  detail: string
}

export type OutboxItem = OutboxContent & {
  /** Made on this phone; sorts by when the items were made. */
  id: string
  /** When the app queued the item, ISO 8601 in UTC. */
  queued_at: string
  /** How often it was tried again after it was rejected. */
  attempt?: number
  /** Present on an item that is rejected: it is not sent again until `retry`. */
  error?: OutboxError
}

/** Of the milliseconds since 1970 that an id begins with: more than they have for 27,000 years. */
const DIGITS = 15
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
export const deepCopy = <Content>(contents: readonly Content[]): Content[] =>
  JSON.parse(JSON.stringify(contents))

/** One account's stored items, in the order in which they were made. When a method has resolved, its change is saved. */
export interface StoredOutbox {
  /** The items, those of other clients over the same storage too, as they were when this client read them first. */
  items(): Promise<readonly OutboxItem[]>
  /** What the storage has now of these items. */
  present(items: readonly OutboxItem[]): Promise<readonly OutboxItem[]>
  /** Adds all items, or none when there is no room. */
  add(contents: readonly OutboxContent[]): Promise<OutboxItem[]>
  /** Changes an item that is still there. */
  replace(item: OutboxItem): Promise<void>
  remove(items: readonly OutboxItem[]): Promise<void>
  clear(): Promise<void>
}

/**
 * Each item has a key of its own in the storage, which no other client makes, and the keys are the list of the items. So
 * several clients over one storage never overwrite what another has saved, and an app that is killed loses nothing.
 */
export function storedOutbox(storage: CompanionStorage, key: string, ms: number): StoredOutbox {
  const step = serialQueue()
  const client = randomKey()
  const stored = (id: string) => createStoredItem(storage, `${key}.${id}`, ms)
  /** Where the storage does not tell its keys: the ids. An id is there before its item is saved, until it is removed. */
  const list = canListKeys(storage) ? undefined : createStoredItem(storage, key, ms)
  let known = new Map<string, { item: OutboxItem; size: number }>()
  let last = 0

  async function ids(): Promise<string[]> {
    const found = list
      ? parseList(await list.read())
      : (await listStorageKeys(storage, ms)).map((each) =>
          each.startsWith(`${key}.`) ? each.slice(key.length + 1) : '',
        )
    return found.filter((id) => /^\d+\.\w+$/.test(id)).sort()
  }
  const changeList = async (change: (present: string[]) => string[]) =>
    list?.write(JSON.stringify(change(await ids())))
  async function read(each: readonly string[]): Promise<void> {
    await inParts(each, async (id) => {
      const text = await stored(id).read()
      const item = parseItem(text)
      if (item) known.set(id, { item, size: bytesIn(text ?? '') })
      else known.delete(id)
    })
  }
  async function load() {
    const present = await ids()
    await read(present.filter((id) => !known.has(id)))
    known = new Map(
      present.flatMap((id) => {
        const each = known.get(id)
        return each ? [[id, each]] : []
      }),
    )
    return known
  }
  async function drop(each: readonly string[]): Promise<void> {
    await inParts(each, (id) => stored(id).remove())
    for (const id of each) known.delete(id)
    await changeList((present) => present.filter((id) => !each.includes(id)))
  }

  return {
    items: () => step(async () => Array.from((await load()).values(), ({ item }) => item)),
    present: (items) =>
      step(async () => {
        await read(items.map(({ id }) => id))
        return items.flatMap(({ id }) => known.get(id)?.item ?? [])
      }),
    add: (contents) =>
      step(async () => {
        const box = await load()
        const now = Date.now()
        const queued_at = new Date(now).toISOString()
        // After all others, also when the clock was put back.
        last = Math.max(now, last, parseInt([...box.keys()].at(-1) ?? '0'))
        const texts = contents.map((content) => {
          const id = `${String(++last).padStart(DIGITS, '0')}.${client}`
          const item: OutboxItem = { ...content, id, queued_at }
          const text = JSON.stringify(item)
          return { item, text, size: bytesIn(text) }
        })
        if (!texts.every(({ item }) => isItem(item)))
          throw new TypeError('A note, a log or a report is an object')
        const size = [...box.values(), ...texts].reduce((sum, each) => sum + each.size, 0)
        if (
          box.size + texts.length > MOST_ITEMS ||
          size > MOST_BYTES ||
          texts.some((each) => each.size > MOST_BYTES_OF_ONE)
        )
          throw outboxFullError()
        const added = texts.map(({ item }) => item)
        await changeList((present) => [...present, ...added.map(({ id }) => id)])
        try {
          await inParts(texts, ({ item, text }) => stored(item.id).write(text))
        } catch (error) {
          await drop(added.map(({ id }) => id)).catch(() => {})
          throw error
        }
        for (const { item, size } of texts) box.set(item.id, { item, size })
        return added
      }),
    replace: (item) =>
      step(async () => {
        await read([item.id])
        if (!known.has(item.id)) return
        const text = JSON.stringify(item)
        await stored(item.id).write(text)
        known.set(item.id, { item, size: bytesIn(text) })
      }),
    remove: (items) => step(() => drop(items.map(({ id }) => id))),
    clear: () =>
      step(async () => {
        await drop(await ids())
        await list?.remove()
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

function parseList(text: unknown): string[] {
  const parsed = parse(text)
  return Array.isArray(parsed) ? parsed.filter((id) => typeof id === 'string') : []
}

function parseItem(text: unknown): OutboxItem | undefined {
  const parsed = parse(text)
  return isItem(parsed) ? parsed : undefined
}

const isItem = (value: unknown): value is OutboxItem =>
  ['event', 'devlog', 'firmware'].includes(String(readProperty(value, 'kind'))) &&
  typeof readProperty(value, 'id') === 'string' &&
  typeof readProperty(value, 'queued_at') === 'string' &&
  readProperty(value, 'input') !== null &&
  typeof readProperty(value, 'input') === 'object'
