import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** Bundles a page that makes one client of the SDK installed at `installed`, minified. */
export async function bundleForPage(installed: string): Promise<string> {
  const folder = await mkdtemp(join(installed, '../page-'))
  const entry = join(folder, 'page.js')
  await writeFile(
    entry,
    `import { createCompanion } from '@companion/sdk'
    globalThis.companion = createCompanion({ baseUrl: 'https://companion.test' })`,
  )
  await build({
    entry: [entry],
    config: false,
    silent: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    noExternal: [/./],
    minify: true,
    outDir: join(folder, 'out'),
  })
  const code = await readFile(join(folder, 'out/page.js'), 'utf8')
  await rm(folder, { recursive: true })
  return code
}

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
