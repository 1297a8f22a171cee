import type { Outbox, OutboxListener } from './outbox.ts'
import { deepCopy } from './stored-outbox.ts'
import type { OutboxContent, OutboxItem } from './stored-outbox.ts'
import type { ReportFirmwareInput } from './operations/inputs.ts'
import type { Devlog, SaveEventInput } from './types.ts'

/** Notes, logs and reports that reach the service however bad the connection is. */
export interface OutboxOperations {
  /**
   * Like `calendar.saveEvent`, with or without network: resolves when the note is saved on this phone. Notes of a child
   * reach the service in the order they were made.
   *
   * @throws an error that `isSignedOut`, `isOutboxFull` or `isStorageFailure` knows
   */
  saveEvent(input: SaveEventInput): Promise<OutboxItem[]>

  /**
   * Like `devlogs.upload`, with or without network, for an app that relays logs: resolves when all of them are saved on
   * this phone, and fails when one of them is not. Logs of a device reach the service in their order, bad ones hold up no
   * good ones.
   *
   * @throws an error that `isSignedOut`, `isOutboxFull` or `isStorageFailure` knows
   */
  uploadDevlogs(logs: readonly Devlog[]): Promise<OutboxItem[]>

  /**
   * Like `firmware.report`, with or without network: resolves when the report is saved on this phone. Reports of a device
   * reach the service in the order they were made.
   *
   * @throws an error that `isSignedOut`, `isOutboxFull` or `isStorageFailure` knows
   */
  reportFirmware(input: ReportFirmwareInput): Promise<OutboxItem[]>

  /**
   * The items that have not reached the service, the oldest first, those of other tabs too. Items with an `error` have
   * been rejected.
   */
  list(): Promise<readonly OutboxItem[]>

  /** Sends items again that have been rejected. */
  retry(items: readonly OutboxItem[]): Promise<void>

  /** Gives items up. One that is on its way at this moment may reach the service all the same. */
  remove(items: readonly OutboxItem[]): Promise<void>

  /**
   * Sends what waits, without a pause unless the service has asked for one by `Retry-After`. Not needed: the outbox
   * sends by itself when the app starts, when something is put in, after pauses that grow to five minutes, and whenever
   * another call shows that the service can be reached. Call it when the app comes to the foreground or the phone has a
   * network again.
   *
   * @returns resolves when everything has been sent, or nothing more can be at the moment
   */
  send(): Promise<void>

  /**
   * Tells `listener` what this client does with the items of the person who is signed in. The function it answers ends
   * that.
   */
  subscribe(listener: OutboxListener): () => void
}

export function outboxOperations({ listeners, ownBox, notify, wake, send }: Outbox): OutboxOperations {
  async function add(given: OutboxContent[]): Promise<OutboxItem[]> {
    // The app may go on writing into its objects.
    const contents = deepCopy(given)
    const box = await ownBox()
    const added = await box.add(contents)
    await notify(box, 'queued', added)
    void wake()
    return added
  }

  return {
    saveEvent: async (input) => add([{ kind: 'event', input }]),
    uploadDevlogs: async (logs) => add(logs.map((input) => ({ kind: 'devlog', input }))),
    reportFirmware: async (input) => add([{ kind: 'firmware', input }]),
    async list() {
      const box = await ownBox()
      return box.present(await box.items())
    },
    async retry(items) {
      const box = await ownBox()
      const again = items.map(({ error: _error, attempt = 0, ...item }) => ({
        ...item,
        attempt: attempt + 1,
      }))
      for (const item of again) await box.replace(item)
      await notify(box, 'queued', again)
      void wake()
    },
    async remove(items) {
      const box = await ownBox()
      await box.remove(items)
      await notify(box, 'removed', items)
    },
    send,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
