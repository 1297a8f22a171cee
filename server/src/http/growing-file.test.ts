import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { GrowingFile } from './growing-file.ts'
import { openUnnamedFile } from './unnamed-file.ts'

const bytesOf = (at: number, length: number) => Uint8Array.from({ length }, (_, n) => (at + n) % 251)

test('a reader gets every byte in its order while the file is written, and a chunk that is not full stays as it is', async () => {
  const file = new GrowingFile(await openUnnamedFile())
  const lengths = [1, 5000, 16_384, 3, 40_000, 16_384, 7]
  let size = 0
  const made = (async () => {
    for (const length of lengths) {
      await file.append(bytesOf(size, length))
      size += length
      await turn()
    }
  })()
  // The response takes the next chunk at once where one does not fill it.
  const short: { at: number; chunk: Uint8Array }[] = []
  let at = 0
  for await (const chunk of file.read(16_384, made)) {
    expect(Uint8Array.from(chunk)).toEqual(bytesOf(at, chunk.length))
    if (chunk.length < 16_384) short.push({ at, chunk })
    at += chunk.length
  }
  await file.close()
  expect(at).toBe(size)
  for (const { at, chunk } of short) expect(Uint8Array.from(chunk)).toEqual(bytesOf(at, chunk.length))
})

test('it may begin again until somebody reads it, and fails as its maker does', async () => {
  const file = new GrowingFile(await openUnnamedFile())
  await file.append(bytesOf(7, 100))
  await file.restart()
  await file.append(bytesOf(0, 10))
  const { promise: made, reject } = Promise.withResolvers<void>()
  const reader = file.read(16_384, made)
  expect((await reader.next()).value).toEqual(Buffer.from(bytesOf(0, 10)))
  await expect(file.restart()).rejects.toThrow('The beginning of the file was sent')
  reject(new Error('no more rows'))
  await expect(reader.next()).rejects.toThrow('no more rows')
  await file.close()
})
