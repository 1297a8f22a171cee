import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLinePacker, readLines } from './export-lines.ts'

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('', 'x'.repeat(300_000), '{"a":1}'),
)
const part = fc.array(line, { minLength: 1, maxLength: 20 })

async function read(parts: readonly string[], isPacked: boolean): Promise<string> {
  const chunks: Uint8Array[] = []
  const source = (async function* () {
    yield* parts
  })()
  for await (const chunk of readLines(source, isPacked)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return String(isPacked ? gunzipSync(bytes) : bytes)
}

test('any of the parts that were packed are lines, in one stream', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(part, fc.boolean()), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (parts, isPacked) => {
        const packer = createLinePacker()
        const stored: string[] = []
        for (const [lines] of parts) stored.push(await packer.pack(lines))
        packer.close()
        const kept = parts.flatMap(([lines, isKept], n) =>
          isKept ? [[lines, stored[n] ?? ''] as const] : [],
        )
        fc.pre(kept.length > 0)
        const texts = kept.map(([, text]) => text)
        const lines = kept.map(([own]) => `${own.join('\n').toWellFormed()}\n`)
        expect(await read(texts, isPacked)).toBe(lines.join(''))
      },
    ),
    { numRuns: 50 },
  )
}, 60_000)

test('a part that cannot be read ends the stream with its error', async () => {
  const source = (async function* (): AsyncGenerator<string> {
    yield await createLinePacker().pack(['a'])
    throw new Error('gone')
  })()
  const reading = async () => {
    for await (const chunk of readLines(source, true)) expect(chunk.length).toBeGreaterThan(0)
  }
  await expect(reading()).rejects.toThrow('gone')
})
