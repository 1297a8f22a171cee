import { appendFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the run notes which errors it has seen, for `test/meta/declared-errors.test.ts`. */
export const observedDirectory = fileURLToPath(new URL('../.observed/', import.meta.url))

export interface Observation {
  method: string
  path: string
  status: number
  detail: string
}

const written = new Set<string>()

/** Notes an error answer, once. */
export function observe(
  method: string,
  path: string,
  { status, body }: { status: number; body: any },
): void {
  const detail: unknown = body?.detail
  if (status < 400 || typeof detail !== 'string') return
  const line = JSON.stringify({ method, path, status, detail } satisfies Observation)
  if (written.has(line)) return
  written.add(line)
  note(`${process.pid}.jsonl`, line)
}

/** Notes that a test file runs, so that a run of some files is not taken for the whole. */
export function observeFile(path: string): void {
  note('files.txt', path)
}

function note(file: string, line: string): void {
  mkdirSync(observedDirectory, { recursive: true })
  appendFileSync(`${observedDirectory}${file}`, `${line}\n`)
}
