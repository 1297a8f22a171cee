import { storageFailureError } from './errors.ts'
import { runWithinTimeout } from './time-limit.ts'

/**
 * Stores the session and the outbox. React Native's AsyncStorage and `localStorage` fit as they are, or pass three
 * functions over a safer store such as expo-secure-store. Keys consist of `A-Z a-z 0-9 . _ -`. The session's value
 * has about 1,000 characters, each value of the outbox at most 250,000 bytes.
 *
 * The outbox asks the storage for its keys: by `getAllKeys`, or by `length` and `key` as of `localStorage`. Over a storage
 * that has neither, only one client at a time may use the outbox.
 */
export interface CompanionStorage {
  /** The value; null when there is none. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
  /** All keys of the storage. */
  getAllKeys?(): readonly string[] | Promise<readonly string[]>
  /** Number of keys. */
  readonly length?: number
  /** One of the keys, by its number. */
  key?(index: number): string | null
}

/** The storages that `memoryStorage` has made. */
export const memoryStorages = new WeakSet<CompanionStorage>()

/** Keeps values in memory, until the app ends. The default. */
export function memoryStorage(): CompanionStorage {
  const items = new Map<string, string>()
  const storage: CompanionStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    getAllKeys: () => [...items.keys()],
  }
  memoryStorages.add(storage)
  return storage
}

/**
 * One item of a storage. If the adapter throws, or does not finish within `ms`, the access fails with a storage
 * failure.
 */
export function createStoredItem(storage: CompanionStorage, key: string, ms: number) {
  return {
    read: () => guarded(ms, 'read', async () => storage.getItem(key)),
    write: (value: string) => guarded(ms, 'save', async () => void (await storage.setItem(key, value))),
    remove: () => guarded(ms, 'remove', async () => void (await storage.removeItem(key))),
  }
}

/** Whether a storage tells its keys. */
export const canListKeys = (storage: CompanionStorage): boolean =>
  typeof storage.getAllKeys === 'function' || typeof storage.key === 'function'

/** The keys of a storage that tells them. Fails like an access to an item. */
export const listStorageKeys = (storage: CompanionStorage, ms: number): Promise<readonly string[]> =>
  guarded(
    ms,
    'list its keys',
    async () =>
      storage.getAllKeys?.() ??
      Array.from({ length: storage.length ?? 0 }, (_, index) => storage.key?.(index) ?? ''),
  )

const guarded = <Result>(ms: number, action: string, work: () => Promise<Result>): Promise<Result> =>
  runWithinTimeout({ ms, late: () => storageFailureError(`The storage did not ${action} in time`) }, () =>
    work().catch((cause: unknown) => {
      throw storageFailureError(`The storage could not ${action}`, cause)
    }),
  )

export type StoredItem = ReturnType<typeof createStoredItem>
