import { storageFailure } from './errors.ts'
import { within } from './within.ts'

/**
 * Stores the session and the outbox. React Native's AsyncStorage and `localStorage` fit as they are, or pass three
 * functions over a safer store such as expo-secure-store. Keys consist of `A-Z a-z 0-9 . _ -`. The session's value
 * has about 1,000 characters, each value of the outbox at most 250,000 bytes.
 */
export interface CompanionStorage {
  /** The value; null when there is none. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** The storages that `memoryStorage` has made. */
export const inMemory = new WeakSet<CompanionStorage>()

/** Keeps values in memory, until the app ends. The default. */
export function memoryStorage(): CompanionStorage {
  const items = new Map<string, string>()
  const storage: CompanionStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  inMemory.add(storage)
  return storage
}

/**
 * One item of a storage. If the adapter throws, or does not finish within `ms`, the access fails with a storage
 * failure.
 */
export function storedItem(storage: CompanionStorage, key: string, ms: number) {
  const guarded = <Result>(action: string, work: () => Promise<Result>): Promise<Result> =>
    within({ ms, late: () => storageFailure(`The storage did not ${action} in time`) }, () =>
      work().catch((cause: unknown) => {
        throw storageFailure(`The storage could not ${action}`, cause)
      }),
    )
  return {
    read: () => guarded('read', async () => storage.getItem(key)),
    write: (value: string) => guarded('save', async () => void (await storage.setItem(key, value))),
    remove: () => guarded('remove', async () => void (await storage.removeItem(key))),
  }
}

export type StoredItem = ReturnType<typeof storedItem>
