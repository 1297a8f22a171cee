import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** What a page does that makes one client of the SDK. */
export const PAGE_WITH_CLIENT = `import { createCompanion } from '@companion/sdk'
globalThis.client = createCompanion({ baseUrl: 'https://companion.test' })`

/** What a page or a worker does that only has a token. */
export const PAGE_WITH_TOKEN = `import { createCompanion } from '@companion/sdk/token'
globalThis.client = createCompanion({ baseUrl: 'https://companion.test', accessToken: 'token' })`

/** Bundles the script of a page, minified, with the packages of a project. */
export async function bundleForPage(project: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(project, 'page-'))
  const entry = join(folder, 'page.js')
  await writeFile(entry, script)
  await build({
    entry: [entry],
    config: false,
    silent: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    noExternal: [/./],
    minify: true,
    splitting: false,
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
