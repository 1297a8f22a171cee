import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { GrowingFile } from '../../http/growing-file.ts'

/** Adds a file to a zip. Resolves when all `texts` were taken. */
export type AddFile = (name: string, texts: Iterable<string> | AsyncIterable<string>) => Promise<void>

/**
 * Writes a zip into `file`, whose caller closes it. Its last file is `manifest.json`: `{files: [{name, sha256, bytes}]}`, which
 * tells of every other. Texts are compressed as they come, by Node's threads.
 */
export async function writeZip(file: GrowingFile, fill: (add: AddFile) => Promise<void>): Promise<void> {
  await file.restart()
  const zip = new ZipFile()
  const stopping = new AbortController()
  const append = async (chunks: AsyncIterable<string | Buffer>) => {
    for await (const chunk of chunks)
      await file.append(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }
  const written = pipeline(zip.outputStream, append, { signal: stopping.signal })
  const broken = new Promise<never>((_, reject) => zip.on('error', reject))
  // Code that waits for a file learns of either.
  for (const outcome of [written, broken]) outcome.catch(() => undefined)
  const files: { name: string; sha256: string; bytes: number }[] = []
  const add: AddFile = async (name, texts) => {
    const hash = createHash('sha256')
    let bytes = 0
    const counted = async function* () {
      for await (const text of texts) {
        const chunk = Buffer.from(text)
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    }
    const entry = Readable.from(counted(), { objectMode: false })
    zip.addReadStream(entry, name)
    try {
      await Promise.race([finished(entry), written, broken])
    } finally {
      entry.destroy()
    }
    files.push({ name, sha256: hash.digest('hex'), bytes })
  }
  try {
    await fill(add)
    zip.addBuffer(Buffer.from(`${JSON.stringify({ files }, undefined, 2)}\n`), 'manifest.json')
    zip.end()
    await Promise.race([written, broken])
  } catch (error) {
    stopping.abort()
    // What went wrong first is told, not what follows from it.
    await written.catch(() => undefined)
    throw error
  }
}
