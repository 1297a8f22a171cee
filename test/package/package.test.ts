import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleSdk } from '../support/sdk-bundle.ts'

const sdk = fileURLToPath(new URL('../../sdk', import.meta.url))
const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
)
const consumerSources = dirname(fileURLToPath(new URL('consumer/main.ts', import.meta.url)))

const MINUTES = 60_000
const LARGEST_BUNDLE = 30_000

let consumer = ''
let installed = ''
let tarball = ''

const run = async (command: string, parameters: string[], cwd: string) =>
  (await promisify(execFile)(command, parameters, { cwd })).stdout

/** pnpm as it runs this test, or any that npm finds. */
const pnpm = (parameters: string[], cwd: string) => {
  const running = process.env['npm_execpath'] ?? ''
  if (!running.includes('pnpm')) return run('npx', ['-y', 'pnpm@12', ...parameters], cwd)
  // npm's package of pnpm is a script or, where there is one for the platform, a program.
  return /\.[cm]?js$/.test(running)
    ? run(process.execPath, [running, ...parameters], cwd)
    : run(running, parameters, cwd)
}

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'companion-consumer-'))
  await pnpm(['pack', '--pack-destination', consumer], sdk)
  const files = await readdir(consumer)
  tarball = join(consumer, files.find((name) => name.endsWith('.tgz')) ?? '')
  await cp(consumerSources, consumer, { recursive: true })
  await copyFile(join(consumer, 'main.ts'), join(consumer, 'main.cts'))
  const manifest = {
    private: true,
    type: 'module',
    dependencies: {
      '@companion/sdk': `file:${tarball}`,
      'typescript-5': 'npm:typescript@5.9.3',
      'typescript-6': 'npm:typescript@6.0.3',
    },
  }
  await writeFile(join(consumer, 'package.json'), JSON.stringify(manifest))
  await pnpm(['install', '--prefer-offline', '--ignore-workspace'], consumer)
  installed = join(consumer, 'node_modules/@companion/sdk')
}, 5 * MINUTES)

afterAll(() => rm(consumer, { recursive: true, force: true }))

test('the package holds what it should and nothing else', async () => {
  expect((await readdir(installed)).toSorted()).toEqual(['README.md', 'dist', 'package.json'])
  expect((await readdir(join(installed, 'dist'))).toSorted()).toEqual([
    'index.cjs',
    'index.d.cts',
    'index.d.ts',
    'index.js',
  ])
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  )
  expect(Object.keys(dependencies)).toEqual(['@trpc/client', '@trpc/server'])
  expect(peerDependencies).toBeUndefined()
  expect(Object.values({ ...dependencies, ...devDependencies }).join()).not.toMatch(/workspace|catalog/)
})

test.each(['index.js', 'index.cjs', 'index.d.ts', 'index.d.cts'])(
  '%s imports nothing but tRPC',
  async (name) => {
    const text = await readFile(join(installed, 'dist', name), 'utf8')
    const imports = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\(|\brequire\()\s*['"]([^'"]+)['"]/g)]
    const packages = new Set(
      imports.map(([, from = '']) => from).filter((from) => !from.startsWith('@trpc/server/')),
    )
    expect([...packages]).toContain('@trpc/client')
    expect([...packages].filter((from) => !['@trpc/client', '@trpc/server'].includes(from))).toEqual([])
    expect(text).not.toMatch(/declare module|mikro|express|kysely|\bany\b.*@companion/)
  },
)

test('every method brings its documentation', async () => {
  const text = await readFile(join(installed, 'dist/index.d.ts'), 'utf8')
  const methods = operations(appRouter).map(({ path }) => path.split('.')[1])
  expect(methods.filter((name) => !new RegExp(`\\*/\\s+${name}: \\(`).test(text))).toEqual(['refresh'])
})

test.concurrent.each([
  ['typescript-6', 'node16'],
  ['typescript-6', 'bundler'],
  ['typescript-6', 'default'],
  ['typescript-5', 'node16'],
  ['typescript-5', 'bundler'],
])(
  'it type-checks with %s and the settings %s',
  async (compiler, resolution) => {
    const tsc = join(consumer, 'node_modules', compiler, 'bin/tsc')
    const checked = run(process.execPath, [tsc, '-p', `tsconfig.${resolution}.json`], consumer)
    expect(await checked.catch(({ stdout }: { stdout: string }) => stdout)).toBe('')
  },
  MINUTES,
)

test.each(['run.mjs', 'run.cjs'])('it works by %s', async (script) => {
  expect(JSON.parse(await run(process.execPath, [script], consumer))).toEqual({
    offline: true,
    signedIn: true,
    others: ['isOutboxFull', 'isSignedOut', 'isStorageFailure', 'memoryStorage'],
  })
})

test('publint finds nothing', async () => {
  const { messages } = await publint({
    pack: { tarball: Uint8Array.from(await readFile(tarball)).buffer },
    strict: true,
  })
  expect(messages).toEqual([])
})

test.concurrent(
  'are the types wrong? No',
  async () => {
    const report = await run(process.execPath, [attw, tarball, '--format', 'json'], consumer)
    const { analysis, problems } = JSON.parse(report)
    expect(problems ?? {}).toEqual({})
    expect(analysis.problems).toEqual([])
  },
  MINUTES,
)

test(
  'bundled with its dependencies it is small and needs nothing of Node.js or the DOM',
  async () => {
    const code = await bundleSdk({ minify: true })
    expect(gzipSync(code).length).toBeLessThan(LARGEST_BUNDLE)

    const lines: string[] = []
    const fetch = async (url: string) => {
      const tokens = { access_token: 'a', expires_in: 1, refresh_token: 'r', refresh_expires_in: 9000, id: 7 }
      const data = url.includes('account.me') ? { root_user_id: 7 } : tokens
      return { ok: true, status: 200, headers: {}, json: async () => ({ result: { data } }) }
    }
    // What React Native has, less what the package itself can do without.
    const bare = {
      fetch,
      FormData,
      Blob,
      AbortController,
      setTimeout,
      clearTimeout,
      tell: (line: string) => lines.push(line),
    }
    await runInNewContext(
      `${code}
    ;(async () => {
      const companion = sdk.createCompanion({ baseUrl: 'https://companion.test' })
      await companion.auth.signIn({ username: '', password: '' })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      tell(JSON.stringify(await companion.account.me()))
      await companion.session.signOut()
      const [, error] = await sdk.safe(companion.account.me())
      tell(String(sdk.isSignedOut(error)))
    })()`,
      bare,
    )
    expect(lines).toEqual(['{"root_user_id":7}', 'true'])
  },
  MINUTES,
)
