import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Writes a file that exists until the test ends. Resolves to its path. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-test-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}
