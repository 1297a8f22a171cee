import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@companion/server/database/database.ts'
import { devlogItem } from './family.ts'

export const SENDERS = 8
const NIGHT = '2026-03-02T21:30:00'
const TIMEOUT_MS = 20_000

export interface SteadyUploads {
  /** Numbers of the logs that were answered with 200, in the order of the responses. */
  acknowledged: readonly number[]
  /** How often each response other than 200 came: status and body, or the fate of the connection. */
  failures: ReadonlyMap<string, number>
  /** Waits until every log sent is acknowledged, however many tries that takes. Resolves to the numbers of these logs. */
  finish: () => Promise<number[]>
}

/** Runs devices that upload log after log, from number `first`, and repeat each until it is acknowledged, as firmware does. */
export function uploadSteadily(origin: string, unique_id: string, first = 0): SteadyUploads {
  const sent: number[] = []
  const acknowledged: number[] = []
  const failures = new Map<string, number>()
  const over = new AbortController()

  async function send(log_file_id: number): Promise<boolean> {
    const outcome = await fetch(`${origin}/api/v1/gamma/device/devlog`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([devlogItem(unique_id, NIGHT, { log_file_id })]),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      async (response) =>
        response.status === 200 ? undefined : `${response.status} ${await response.text()}`,
      (error: unknown) => String(error),
    )
    if (outcome !== undefined) failures.set(outcome, (failures.get(outcome) ?? 0) + 1)
    return outcome === undefined
  }

  const senders = Array.from({ length: SENDERS }, async () => {
    while (!over.signal.aborted) {
      const log_file_id = first + sent.length
      sent.push(log_file_id)
      while (!(await send(log_file_id))) await pause(50)
      acknowledged.push(log_file_id)
    }
  })
  return {
    acknowledged,
    failures,
    async finish() {
      over.abort()
      await Promise.all(senders)
      return sent
    },
  }
}

/** The stored logs of a device; a log that is stored twice appears twice. */
export async function storedUploads({ pool }: Database, unique_id: string): Promise<number[]> {
  const { rows } = await pool.query<{ log_file_id: number }>(
    `SELECT log_file_id FROM treatment t JOIN device d ON d.id = t.device_id WHERE d.unique_id = $1 ORDER BY 1`,
    [unique_id],
  )
  return rows.map(({ log_file_id }) => log_file_id)
}

/** The stored logs of a device, asked in its shard. */
export async function storedOn({ pool }: Database, device: number): Promise<number[]> {
  const { rows } = await pool.query('SELECT log_file_id FROM treatment WHERE device_id = $1 ORDER BY 1', [
    device,
  ])
  return rows.map(({ log_file_id }) => log_file_id)
}
