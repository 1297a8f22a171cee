import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { TryLater } from './alert.ts'

/** The intervals and limits of sending. */
export interface DeliveryTiming {
  /** The interval between polls of an empty queue. */
  pollMs: number
  /** The time limit of one try, from the first connection to the response. */
  tryMs: number
  /** The delay after the first failure; each further failure doubles it, to an hour. */
  retryMs: number
  /** The number of attempts before something is given up. */
  mostAttempts: number
}

/** Messages that wait in a table, each in a row of its own. */
export interface DeliveryQueue<Claimed extends { attempts: number }> {
  /** For the log, such as `alerts`. */
  name: string
  /**
   * Takes at most `most` messages that are due, counts the try, and makes each due again after `ms`: so it is if this
   * process dies.
   */
  claim: (ms: number, most: number) => Promise<Claimed[]>
  /** Sends; after any error that it throws, the message can be tried again. Resolves to what records the success. */
  send: (claimed: Claimed, signal: AbortSignal) => Promise<() => Promise<unknown>>
  /** Both take the error of the last attempt, if this process made it. */
  postpone: (claimed: Claimed, ms: number, error: unknown) => Promise<unknown>
  giveUp: (claimed: Claimed, error?: unknown) => Promise<unknown>
  /** Whether no further try can help after an error. */
  isFinal?: (error: unknown, claimed: Claimed) => boolean
  /** What the log says of a message that was not sent. */
  describe: (claimed: Claimed) => object
}

const MOST_AT_ONCE = 20
const LONGEST_RETRY_MS = 3_600_000

/**
 * Sends the messages of a queue until stopped. Any number of processes may do so together. At most 20 are under way at
 * once, each for `tryMs` at most; a receiver that does not answer holds up no other until all 20 are such. No database
 * connection is held while waiting for a receiver.
 */
export function startDelivering<Claimed extends { attempts: number }>(
  { name, claim, send, postpone, giveUp, isFinal, describe }: DeliveryQueue<Claimed>,
  { log, pace: { pollMs, tryMs, retryMs, mostAttempts } }: { log: Logger; pace: DeliveryTiming },
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const underWay = new Set<Promise<void>>()

  async function deliver(claimed: Claimed): Promise<void> {
    const { attempts } = claimed
    // It was claimed before by processes that died.
    if (attempts > mostAttempts) return void (await giveUp(claimed))
    let succeed: () => Promise<unknown>
    try {
      succeed = await send(claimed, AbortSignal.timeout(tryMs))
    } catch (error) {
      log.warn({ err: error, ...describe(claimed) }, `${name} not sent`)
      if (attempts >= mostAttempts || isFinal?.(error, claimed)) return void (await giveUp(claimed, error))
      const asked = error instanceof TryLater ? error.seconds * 1000 : 0
      const wait = Math.min(Math.max(retryMs * 2 ** (attempts - 1), asked), LONGEST_RETRY_MS)
      return void (await postpone(claimed, wait, error))
    }
    await succeed()
  }

  const warnOfQueue = (error: unknown) => log.warn({ err: error }, `${name} queue unavailable, will retry`)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      // Claim for twice the longest try, so that no other process claims what is still being sent.
      const claimed = await claim(2 * tryMs, MOST_AT_ONCE - underWay.size).catch((error: unknown) => {
        warnOfQueue(error)
        return []
      })
      for (const each of claimed) {
        const delivery = deliver(each)
          .catch(warnOfQueue)
          .finally(() => underWay.delete(delivery))
        underWay.add(delivery)
      }
      if (underWay.size === MOST_AT_ONCE) await Promise.race(underWay)
      else if (claimed.length === 0) await pause(pollMs, undefined, { signal }).catch(() => undefined)
    }
    await Promise.all(underWay)
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
