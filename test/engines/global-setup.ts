import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transformAsync } from '@babel/core'
import presetEnv from '@babel/preset-env'
import { build } from 'tsup'
import type { TestProject } from 'vitest/node'
import { setupPlain } from '../support/global-setup.ts'
import { appEntry } from './app-bundles.ts'

const LOWERED = [
  'transform-classes',
  'transform-class-properties',
  'transform-class-static-block',
  'transform-private-methods',
  'transform-private-property-in-object',
  'transform-block-scoping',
  'transform-async-generator-functions',
  'transform-async-to-generator',
  'transform-unicode-property-regex',
]
const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Packs the SDK as for publishing into a folder `package`. */
async function pack(work: string): Promise<void> {
  await run('npx', ['-y', 'pnpm@12', 'pack', '--pack-destination', work], { cwd: here('../../sdk') })
  await run('sh', ['-c', 'tar -xzf companion-sdk-*.tgz'], { cwd: work })
}

/** Bundles the files of the folder `package` for each engine, into `bundles`. */
async function bundle(work: string): Promise<void> {
  const bundles = join(work, 'bundles')
  await mkdir(bundles)
  const of = async (name: string, files: string[], script = '') => {
    const isOnPhone = !name.startsWith('node') && name !== 'chromium'
    const entry = join(work, `${name}.js`)
    await writeFile(entry, [...files.map((file) => `import '${file}'`), script].join('\n'))
    await build({
      config: false,
      silent: true,
      entry: { [name]: entry },
      format: 'iife',
      target: 'es2022',
      platform: 'neutral',
      noExternal: [/./],
      esbuildOptions: (options) => {
        options.mainFields = ['module', 'main']
        options.alias = {
          '@companion/sdk/firmware': join(work, 'package/dist', isOnPhone ? 'firmware.cjs' : 'firmware.js'),
          '@companion/sdk': join(work, 'package/dist', isOnPhone ? 'index.native.cjs' : 'index.js'),
        }
        // Metro puts these values in.
        options.define = { 'process.env': '{}' }
        options.nodePaths = [here('../node_modules')]
      },
      outExtension: () => ({ js: '.js' }),
      outDir: bundles,
      clean: false,
    })
    if (!isOnPhone) return
    const file = join(bundles, `${name}.js`)
    const lowered = await transformAsync(await readFile(file, 'utf8'), {
      configFile: false,
      babelrc: false,
      compact: true,
      // Of the syntax, what Metro too lowers for Hermes. Methods stay as they are.
      presets: [[presetEnv, { targets: { chrome: '110' }, include: LOWERED }]],
    })
    await writeFile(file, lowered?.code ?? '')
  }
  const [guest, nodeHost] = [here('guest.ts'), here('node-host.ts')]
  // The order matters: `fetch` is made of what is there when it is loaded.
  const phone = [here('phone-globals.ts'), createRequire(import.meta.url).resolve('whatwg-fetch')]
  const day = await appEntry()
  await of('globals', phone)
  await of('hermes', [...phone, guest])
  await of('chromium', [guest])
  await of('node', [nodeHost, guest])
  await of('hermes-app', phone, day)
  await of('node-app', [nodeHost], day)
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const work = await mkdtemp(join(tmpdir(), 'companion-engines-'))
  const [stopDatabase] = await Promise.all([setupPlain(project), pack(work)])
  await bundle(work)
  project.vitest.provide('bundles', join(work, 'bundles'))
  return async () => {
    await stopDatabase()
    await rm(work, { recursive: true })
  }
}
