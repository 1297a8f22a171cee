import * as fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPaths } from './site.ts'

const FIRST_WARNING_MS = 1000
const WARNING_MS = 10_000

/**
 * Repeats `attempt` until it returns something, and warns every 10 s of what it waits for. It never gives up: a process
 * of PostgreSQL ends when its work or the disk lets it, which may take minutes, and nothing can be done before.
 */
export async function waitFor<Result>(
  attempt: () => Promise<Result | undefined> | Result | undefined,
  site: Pick<PostgresPaths, 'data' | 'warn'>,
  what: () => string,
): Promise<Result> {
  const begin = Date.now()
  let warnAfter = FIRST_WARNING_MS
  for (;;) {
    const result = await attempt()
    if (result !== undefined) return result
    const waited = Date.now() - begin
    if (waited >= warnAfter) {
      site.warn(`waiting for ${what()}${await occupants(site.data)}`)
      warnAfter = waited + WARNING_MS
    }
    await sleep(Math.min(Math.max(waited / 10, 20), 1000))
  }
}

/** Names the processes of PostgreSQL, which all work in its data directory, where Linux lets us see that. */
async function occupants(data: string): Promise<string> {
  const pids = await fs.readdir('/proc').catch(() => [])
  const found = await Promise.all(
    pids.map(async (pid) => {
      if ((await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined)) !== data) return []
      const title = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return [`${pid} (${title.split('\0')[0]?.trim()})`]
    }),
  )
  const names = found.flat()
  return names.length > 0 ? `; running in ${data}: ${names.join(', ')}` : ''
}
