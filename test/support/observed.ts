import { appendFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { inject } from 'vitest'

/** Where the run records what it has seen, for the tests in `test/meta`. Runs without these tests, such as labs, have none. */
export const observedDirectory: string | undefined = inject('observedDirectory')

export interface Observation {
  method: string
  path: string
  status: number
  detail: string
}

const written = new Set<string>()

/** Records an error response once. */
export function observe(method: string, path: string, { status, body }: { status: number; body: any }): void {
  const detail: unknown = body?.detail
  if (status < 400 || typeof detail !== 'string') return
  const line = JSON.stringify({ method, path, status, detail } satisfies Observation)
  if (written.has(line)) return
  written.add(line)
  note(`${process.pid}.jsonl`, line)
}

/** Records the name of each header of a response once. */
export function observeHeaders(response: Pick<ServerResponse, 'getHeaderNames'>): void {
  for (const name of response.getHeaderNames()) {
    if (written.has(name)) continue
    written.add(name)
    note(`${process.pid}.headers`, name)
  }
}

/** Records that a test file runs, so that a run of some files is not mistaken for a whole run. */
export function observeFile(path: string): void {
  note('files.txt', path)
}

/** Appends a line to one of the run's records. */
export function note(file: string, line: string): void {
  if (observedDirectory !== undefined) appendFileSync(`${observedDirectory}${file}`, `${line}\n`)
}
