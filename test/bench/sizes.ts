import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { bundleForPage, PAGE_WITH_CLIENT, PAGE_WITH_TOKEN } from '../support/sdk-bundle.ts'

/*
 * Compares what a page gets that makes one client: of this SDK and of others, bundled by the same tool in one run. Prints a
 * table for sdk/README.md. The others are installed in a folder that is removed afterwards.
 */

const run = promisify(execFile)
const sdk = fileURLToPath(new URL('../../sdk', import.meta.url))

const others = [
  {
    name: 'hono',
    version: '4.13.19',
    title: 'hc of Hono',
    script: `import { hc } from 'hono/client'; globalThis.client = hc('https://service.test')`,
  },
  {
    name: 'better-auth',
    version: '1.7.25',
    title: 'better-auth',
    script: `import { createAuthClient } from 'better-auth/client'
globalThis.client = createAuthClient({ baseURL: 'https://service.test' })`,
  },
  {
    name: '@medplum/core',
    version: '5.2.13',
    title: '@medplum/core',
    script: `import { MedplumClient } from '@medplum/core'
globalThis.client = new MedplumClient({ baseUrl: 'https://service.test' })`,
  },
  {
    name: '@supabase/supabase-js',
    version: '2.119.1',
    title: '@supabase/supabase-js',
    script: `import { createClient } from '@supabase/supabase-js'
globalThis.client = createClient('https://service.test', 'key')`,
  },
]

const project = await mkdtemp(join(tmpdir(), 'companion-sizes-'))
try {
  const pnpm = (parameters: string[], cwd: string) => run('npx', ['-y', 'pnpm@12', ...parameters], { cwd })
  await pnpm(['pack', '--pack-destination', project], sdk)
  const tarball = (await readdir(project)).find((file) => file.endsWith('.tgz')) ?? ''
  const dependencies = {
    ...Object.fromEntries(others.map(({ name, version }) => [name, version])),
    '@companion/sdk': `file:${join(project, tarball)}`,
  }
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  )
  await pnpm(['install', '--ignore-workspace', '--ignore-scripts'], project)
  const version = /-(\d[^-]*)\.tgz$/.exec(tarball)?.[1] ?? ''
  const pages = [
    ...others,
    { title: '`@companion/sdk`', version, script: PAGE_WITH_CLIENT },
    { title: '`@companion/sdk/token`', version, script: PAGE_WITH_TOKEN },
  ]
  const rows = []
  for (const { title, version, script } of pages) {
    const code = await bundleForPage(project, script)
    rows.push({ title, version, minified: Buffer.byteLength(code), gzipped: gzipSync(code).length })
  }
  rows.sort((one, other) => one.gzipped - other.gzipped)
  console.log(`Measured ${new Date().toISOString().slice(0, 10)} with Node.js ${process.version}.\n`)
  console.log('| Client | Version | Minified, bytes | Gzipped, bytes |\n|---|---|--:|--:|')
  for (const { title, version, minified, gzipped } of rows)
    console.log(
      `| ${title} | ${version} | ${minified.toLocaleString('en')} | ${gzipped.toLocaleString('en')} |`,
    )
} finally {
  await rm(project, { recursive: true })
}
