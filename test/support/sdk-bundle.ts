import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** Bundles the SDK with its dependencies into one script that defines a global `sdk`. */
export async function bundleSdk({ minify = false } = {}): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'companion-bundle-'))
  await build({
    entry: [fileURLToPath(new URL('../../sdk/src/index.ts', import.meta.url))],
    config: false,
    silent: true,
    format: 'iife',
    globalName: 'sdk',
    target: 'es2020',
    platform: 'neutral',
    noExternal: [/^@trpc/],
    minify,
    outDir,
  })
  const code = await readFile(join(outDir, 'index.global.js'), 'utf8')
  await rm(outDir, { recursive: true })
  return code
}
