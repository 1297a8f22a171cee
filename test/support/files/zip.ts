import { createHash } from 'node:crypto'
import { strFromU8, unzipSync } from 'fflate'
import { expect } from 'vitest'

/** The files of an export by name, parsed, once its manifest has proved true. */
export function unzipExport(bytes: Uint8Array): Record<string, any> {
  const { 'manifest.json': manifest, ...files } = unzipSync(bytes)
  expect(JSON.parse(strFromU8(manifest ?? new Uint8Array()))).toEqual({
    files: Object.entries(files).map(([name, content]) => ({
      name,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
    })),
  })
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, JSON.parse(strFromU8(content))]),
  )
}
