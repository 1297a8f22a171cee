import { vi } from 'vitest'
import { runCompanion } from '@companion/server/commands/companion.ts'
import { TEST_SECRET } from './server.ts'
import type { TestServer } from './server.ts'

export interface Done {
  code: number
  /** Its output; parsed, if `--json` was given. */
  result: any
  out: string
  said: string
}

type Written = (error?: Error | null) => void

/** A `write` that keeps what is written and says at once that it is. */
const taking =
  (keep: (text: string) => void) =>
  (text: string | Uint8Array, encoding?: BufferEncoding | Written, done?: Written): boolean => {
    keep(String(text))
    const written = typeof encoding === 'function' ? encoding : done
    written?.()
    return true
  }

/**
 * Runs `companion …` beside a server, as an operator does, but in this process, without the second that a process takes to
 * start. One command runs at a time.
 */
export async function companion(
  { databaseUrl }: Pick<TestServer, 'databaseUrl'>,
  ...args: string[]
): Promise<Done> {
  let [out, said] = ['', '']
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(taking((text) => (out += text)))
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(taking((text) => (said += text)))
  vi.stubEnv('DATABASE_URL', databaseUrl)
  vi.stubEnv('TOKEN_SECRET', TEST_SECRET)
  try {
    await runCompanion(args)
  } finally {
    stdout.mockRestore()
    stderr.mockRestore()
    vi.unstubAllEnvs()
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, result: args.includes('--json') && out ? JSON.parse(out) : out, out, said }
}
