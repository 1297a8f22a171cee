import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { devlogItem } from '../support/family.ts'

/** A device gives up waiting for a response after so long, and sends again. */
const TIMEOUT_MS = 30_000
/** How long it rests after a response that is no 200 and does not say. */
const REST_MS = 1000
const TICK_MS = 10
/** Beyond those that devices have sent before. */
const FIRST_LOG = 1_000_000
const FIRST_NIGHT = Date.UTC(2026, 0, 1, 21)

export interface Sent {
  /** When it was due, in milliseconds of `performance.now()`, and how long its response took from then on. */
  due: number
  ms: number
  /** The devices whose records it holds. */
  devices: readonly string[]
  /** The status, with the body if it was not 200, or the fate of the connection. */
  outcome: string
  /** Whether it repeats one that was not acknowledged. */
  isRepeat: boolean
}

export interface OpenLoop {
  sent: readonly Sent[]
  /** How many uploads were due, and how many of them were not sent because too many were under way. */
  due: () => number
  left: () => number
  /** Stops, and waits until all that was sent is acknowledged. Resolves to the numbers of these logs by device. */
  finish: () => Promise<Map<string, number[]>>
}

interface Options {
  /** Uploads a second. */
  rate: number
  /** How many may wait for a response at once; what is due then is not sent. */
  inFlight: number
}

/**
 * Has devices upload at a rate that does not wait for the responses. Most uploads are of one record, each twentieth of five, and
 * each fiftieth of one record each of two devices. A device that gets no 200 sends the same again, as firmware does; a device has one
 * upload under way.
 */
export function uploadOpenLoop(
  origin: string,
  devices: readonly string[],
  { rate, inFlight }: Options,
): OpenLoop {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const idle = [...devices]
  const logs = new Map<string, number[]>(devices.map((device) => [device, []]))
  const sent: Sent[] = []
  const unfinished = new Set<Promise<void>>()
  let [due, left, underWay] = [0, 0, 0]

  function post(body: string): Promise<{ outcome: string; waitMs: number }> {
    return new Promise((resolve) => {
      const call = request(
        `${origin}/api/v1/gamma/device/devlog`,
        { method: 'POST', agent, headers: { 'content-type': 'application/json' }, timeout: TIMEOUT_MS },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () => {
            const after = Number(response.headers['retry-after'])
            resolve({
              outcome: response.statusCode === 200 ? '200' : `${response.statusCode} ${text}`,
              waitMs: after > 0 ? after * 1000 : REST_MS,
            })
          })
          response.on('error', (error) => resolve({ outcome: String(error), waitMs: REST_MS }))
        },
      )
      call.on('timeout', () => call.destroy(new Error('no answer')))
      call.on('error', (error) => resolve({ outcome: String(error), waitMs: REST_MS }))
      call.end(body)
    })
  }

  async function upload(senders: readonly string[], records: number, firstDue: number): Promise<void> {
    const items = senders.flatMap((unique_id) => {
      const own = logs.get(unique_id) ?? []
      return Array.from({ length: records }, () => {
        const log_file_id = FIRST_LOG + own.length
        const at = new Date(FIRST_NIGHT + own.length * 60_000).toISOString().slice(0, 19)
        own.push(log_file_id)
        return devlogItem(unique_id, at, { log_file_id, treatment_time: 60 })
      })
    })
    const body = JSON.stringify(items)
    for (let [at, isRepeat] = [firstDue, false]; ; [at, isRepeat] = [performance.now(), true]) {
      underWay += 1
      const { outcome, waitMs } = await post(body)
      underWay -= 1
      sent.push({ due: at, ms: performance.now() - at, devices: senders, outcome, isRepeat })
      if (outcome === '200') break
      await pause(waitMs)
    }
    idle.push(...senders)
  }

  function sendDue(at: number): void {
    due += 1
    const senders = idle.splice(0, due % 50 === 0 ? 2 : 1)
    if (underWay >= inFlight || senders.length === 0) {
      left += 1
      idle.push(...senders)
      return
    }
    const work = upload(senders, due % 20 === 1 ? 5 : 1, at).then(() => void unfinished.delete(work))
    unfinished.add(work)
  }

  const started = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    for (let next = started + (due * 1000) / rate; next <= now; next = started + (due * 1000) / rate)
      sendDue(next)
  }, TICK_MS)
  return {
    sent,
    due: () => due,
    left: () => left,
    async finish() {
      clearInterval(timer)
      await Promise.all(unfinished)
      agent.destroy()
      return logs
    },
  }
}
