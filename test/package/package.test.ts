import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { accountErrors, generic, tokenErrors } from '@companion/server/errors/generic.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleForPage, bundleSdk, PAGE_WITH_CLIENT, PAGE_WITH_TOKEN } from '../support/sdk-bundle.ts'
import { readmeFiles } from '../support/sdk-readme.ts'

const sdk = fileURLToPath(new URL('../../sdk', import.meta.url))
const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
)
const consumerSources = dirname(fileURLToPath(new URL('consumer/main.ts', import.meta.url)))

/** Bytes, gzipped: what React Native gets as shipped, and what a page gets that makes one client, or one with a token alone. */
const LARGEST = 30_000
const LARGEST_IN_PAGE = 16_500
const LARGEST_WITH_TOKEN = 8000
/** Bytes of the declarations for each operation, documentation included: half of what they were for 46 operations. */
const LARGEST_DECLARATIONS = 162_444 / 46 / 2

const textsOf = (errors: readonly (readonly [status: number, detail: string])[]) =>
  errors.map(([, detail]) => detail)
const ofSession = [...new Set(textsOf([...tokenErrors, ...accountErrors]))]
const ofAny = textsOf(Object.values(generic))

let work = ''
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

/** Makes the project of somebody who installs the packed SDK. */
async function install(project: string, dependencies: Record<string, string>): Promise<void> {
  await cp(consumerSources, project, { recursive: true })
  await copyFile(join(project, 'main.ts'), join(project, 'main.cts'))
  const manifest = {
    private: true,
    type: 'module',
    dependencies: { '@companion/sdk': `file:${tarball}`, ...dependencies },
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  await pnpm(['install', '--prefer-offline', '--ignore-workspace'], project)
}

/** The complaints of the compiler. */
const complaints = (project: string, compiler: string, settings: string): Promise<string> => {
  const tsc = join(project, 'node_modules', compiler, 'bin/tsc')
  return run(process.execPath, [tsc, '-p', `tsconfig.${settings}.json`], project).catch(
    ({ stdout }: { stdout: string }) => stdout,
  )
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'companion-consumer-'))
  await pnpm(['pack', '--pack-destination', work], sdk)
  const files = await readdir(work)
  tarball = join(work, files.find((name) => name.endsWith('.tgz')) ?? '')
  consumer = join(work, 'consumer')
  await install(consumer, {
    'typescript-5.7': 'npm:typescript@5.7.3',
    'typescript-5': 'npm:typescript@5.9.3',
    '@types/node': '24.10.1',
    'typescript-6': 'npm:typescript@6.0.3',
    'typescript-7': 'npm:typescript@7.0.2',
  })
  installed = join(consumer, 'node_modules/@companion/sdk')
})

afterAll(() => rm(work, { recursive: true, force: true }))

test('the package holds what it should and nothing else', async () => {
  expect((await readdir(installed)).toSorted()).toEqual(['CHANGELOG.md', 'README.md', 'dist', 'package.json'])
  const kinds = ['cjs', 'cjs.map', 'd.cts', 'd.ts', 'js', 'js.map']
  const entries = ['index', 'firmware', 'oauth', 'testing', 'token', 'webhooks']
  expect((await readdir(join(installed, 'dist'))).toSorted()).toEqual(
    [...entries.flatMap((entry) => kinds.map((kind) => `${entry}.${kind}`)), 'index.native.cjs'].toSorted(),
  )
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

test.each(['firmware', 'oauth', 'token', 'webhooks'])('%s imports nothing', async (entry) => {
  for (const kind of ['js', 'cjs'])
    expect(await readFile(join(installed, 'dist', `${entry}.${kind}`), 'utf8')).not.toMatch(
      /\bfrom\s*['"]|\bimport\s*[('"]|\brequire\(/,
    )
})

test.each(['index', 'firmware', 'oauth', 'testing', 'token', 'webhooks'])(
  'a debugger shows the sources of %s',
  async (entry) => {
    for (const kind of ['js', 'cjs']) {
      const path = join(installed, 'dist', `${entry}.${kind}`)
      expect(await readFile(path, 'utf8')).toContain(`//# sourceMappingURL=${entry}.${kind}.map`)
      const { sources, sourcesContent } = JSON.parse(await readFile(`${path}.map`, 'utf8'))
      expect(sources.some((source: string) => /\/(src|testing)\/[\w-]+\.ts$/.test(source))).toBe(true)
      expect(sourcesContent).toHaveLength(sources.length)
      expect(sourcesContent.every((source: unknown) => typeof source === 'string')).toBe(true)
    }
  },
)

test('every method brings its documentation', async () => {
  const text = await readFile(join(installed, 'dist/index.d.ts'), 'utf8')
  const methods = operations(appRouter).map(({ path }) => path.split('.')[1])
  // The client refreshes by itself, and devices have no SDK.
  const without = ['refresh', 'checkAsDevice', 'downloadAsDevice', 'reportAsDevice']
  expect(methods.filter((name) => !new RegExp(`\\*/\\s+${name}: \\(`).test(text))).toEqual(without)
})

test('fields bring what the OpenAPI document says of them', async () => {
  const text = await readFile(join(installed, 'dist/index.d.cts'), 'utf8')
  for (const field of [
    '/** Seconds. From 0 to 86,400. */ treatment_time: number',
    '/** E.164. Such as `+821012345678`. */ phone: string',
    '/** When it was created, ISO 8601 in UTC. */ created_at: string',
    '/** At most 1,000 characters. */ memo?: string',
    '/** Null without an event. */ event_id: number | null',
  ])
    expect(text).toContain(field)
  // Each operation's input or answer has at least one; those with none have nothing but ids or files.
  const declared = (name: string) => new RegExp(`^export type ${name} = .*?;$`, 'ms').exec(text)?.[0] ?? ''
  const described = operations(appRouter).filter(({ path }) => {
    const [, name = ''] = path.split('.')
    const start = text.search(new RegExp(`\\b${name}: (?:Mutation|Query)<`))
    const procedure = text.slice(start, text.indexOf('>;', start))
    const types = procedure.match(/\b[A-Z]\w+\b/g) ?? []
    return [procedure, ...types.map(declared)].some((each) => each.includes('/** '))
  })
  expect(operations(appRouter).length - described.length).toBeLessThan(5)
  expect(text.length / operations(appRouter).length).toBeLessThan(LARGEST_DECLARATIONS)
})

test.concurrent.each([
  ['typescript-6', 'node16'],
  ['typescript-6', 'bundler'],
  ['typescript-6', 'default'],
  ['typescript-7', 'node16'],
  ['typescript-7', 'bundler'],
  ['typescript-5', 'node16'],
  ['typescript-5', 'bundler'],
  ['typescript-5.7', 'node16'],
])('it type-checks with %s and the settings %s', async (compiler, settings) =>
  expect(await complaints(consumer, compiler, settings)).toBe(''),
)

test.concurrent('the page and the route of the README compile', async () => {
  const files = await readmeFiles()
  await writeFile(join(consumer, 'page.ts'), files.get('src/main.ts') ?? '')
  await writeFile(join(consumer, 'route.ts'), files.get('app/api/children/route.ts') ?? '')
  expect(await complaints(consumer, 'typescript-7', 'readme')).toBe('')
})

// tRPC's own declarations name a type of the DOM, and tRPC's types cannot be rolled in: TanStack Query's adapter takes
// only the client of the tRPC that it imports itself.
test.concurrent('without the DOM library nothing is missing but one type in the declarations of tRPC', async () => {
  expect(await complaints(consumer, 'typescript-6', 'no-dom')).toBe('')
  const strict = await complaints(consumer, 'typescript-6', 'no-dom-strict')
  const others = strict
    .trim()
    .split('\n')
    .filter((line) => !/@trpc\/client\/.*Cannot find name 'RequestInfo'/.test(line))
  expect(others).toEqual([])
})

test.concurrent('it type-checks as the client of TanStack Query, with the older tRPC that its adapter asks for', async () => {
  const project = join(work, 'tanstack')
  await install(project, {
    '@trpc/client': '11.22.1',
    '@trpc/server': '11.22.1',
    '@trpc/tanstack-react-query': '11.22.1',
    '@tanstack/react-query': '5.108.0',
    '@types/react': '19.2.7',
    react: '19.2.3',
    typescript: '6.0.3',
  })
  expect(await complaints(project, 'typescript', 'tanstack')).toBe('')
})

describe('an editor', () => {
  interface Shown {
    methods: { type: string; documentation: string }[]
    fields: { type: string; documentation: string }[]
    details: { name: string; sortText: string }[][]
  }
  let shown: Shown
  beforeAll(
    async () =>
      void (shown = JSON.parse(await run(process.execPath, ['editor.mjs', 'typescript-6'], consumer))),
  )

  test('names what a method takes, answers and is refused by', () => {
    const method = (signature: string) => ({
      type: expect.stringContaining(signature),
      documentation: expect.stringContaining('Contract: `'),
    })
    expect(shown.methods).toEqual([
      method('(input: ReadChildInput, options?: CallOptions) => CompanionCall<Child, ReadChildError>'),
      method(
        '(input: RecentChartInput, options?: CallOptions) => CompanionCall<RecentChart, RecentChartError>',
      ),
      method(
        '(items: readonly Devlog[], options?: UploadOptions) => CompanionCall<DevlogsUploaded, UploadDevlogError>',
      ),
    ])
  })

  test('documents a field, also where its type names another one', () => {
    expect(shown.fields).toEqual([
      { type: '(property) is_device_muted: boolean', documentation: 'No alerts of devices at all.' },
      {
        type: '(property) role: "viewer" | "guardian" | "owner"',
        documentation: 'What the account is to the child.',
      },
    ])
  })

  // TypeScript 6 lists texts in the order in which the program has met them, and gives all of them one rank: an editor may
  // sort them by the alphabet. How a type writes its union decides for the first operation of a program alone.
  test('completes all texts of an operation, and those of one status where it is known', () => {
    const [ofChild = [], ofSignIn = [], of409 = []] = shown.details.map((entries) =>
      entries.map(({ name }) => name),
    )
    expect(ofChild).toEqual([
      'Serial code is not valid',
      'Not authorized user',
      'Not Found Device',
      'Already Connected Device',
      'Real user create failed',
      ...ofSession,
      ...ofAny,
    ])
    expect(ofSignIn).toEqual([
      'User is Deleted',
      'Access denied. Account blocked',
      ...ofAny,
      'Password is invalid',
      'Sign-up not completed',
      'SMS verification required',
      'User not found',
    ])
    expect(of409).toEqual(['Already Connected Device', 'Real user create failed', 'Request is in progress'])
    expect(new Set(shown.details.flat().map(({ sortText }) => sortText)).size).toBe(1)
  })
})

test.each(['run.mjs', 'run.cjs'])('it works by %s', async (script) => {
  expect(JSON.parse(await run(process.execPath, [script], consumer))).toEqual({
    offline: true,
    signedIn: true,
    others: [
      'CompanionError',
      'CursorLost',
      'errorResponseOf',
      'isOutboxFull',
      'isSignedOut',
      'isStorageFailure',
      'memoryStorage',
    ],
  })
})

test('publint finds nothing', async () => {
  const { messages } = await publint({
    pack: { tarball: Uint8Array.from(await readFile(tarball)).buffer },
    strict: true,
  })
  expect(messages).toEqual([])
})

test.concurrent('are the types wrong? No', async () => {
  const report = await run(process.execPath, [attw, tarball, '--format', 'json'], consumer)
  const { analysis, problems } = JSON.parse(report)
  expect(problems ?? {}).toEqual({})
  expect(analysis.problems).toEqual([])
})

test('bundled with its dependencies it is small', async () => {
  expect(gzipSync(await bundleSdk({ minify: true })).length).toBeLessThan(25_000)
  expect(gzipSync(await bundleForPage(consumer, PAGE_WITH_CLIENT)).length).toBeLessThanOrEqual(
    LARGEST_IN_PAGE,
  )
  expect(gzipSync(await bundleForPage(consumer, PAGE_WITH_TOKEN)).length).toBeLessThanOrEqual(
    LARGEST_WITH_TOKEN,
  )
})

test('what it gives to tests of apps works by import and by require', async () => {
  const script = `
    const { createCompanion } = sdk, { scriptedService } = testing
    const service = scriptedService()
    const companion = createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch, retries: 0 })
    await companion.auth.signIn({ username: 'a', password: 'b' })
    service.refuse('account.me', 423, 'Access denied. Account blocked')
    await companion.account.me().catch((error) => console.log(error.message))`
  const imported = `import * as sdk from '@companion/sdk'; import * as testing from '@companion/sdk/testing'; ${script}`
  const required = `const sdk = require('@companion/sdk'), testing = require('@companion/sdk/testing'); (async () => {${script}})()`
  for (const [type, code] of [
    ['module', imported],
    ['commonjs', required],
  ] as const)
    expect(await run(process.execPath, [`--input-type=${type}`, '-e', code], consumer)).toBe(
      'account.me: 423 Access denied. Account blocked\n',
    )
})

test('what React Native gets is small before it is minified, imports nothing, and needs nothing of Node.js or the DOM', async () => {
  const { exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(exports['.'])[0]).toBe('react-native')
  const code = await readFile(join(installed, exports['.']['react-native'].default), 'utf8')
  expect(gzipSync(code).length).toBeLessThan(LARGEST)

  const lines: string[] = []
  const fetch = async (url: string) => {
    const tokens = { access_token: 'a', expires_in: 0, refresh_token: 'r', refresh_expires_in: 9000, id: 7 }
    const data = url.includes('account.me') ? { root_user_id: 7 } : tokens
    return { ok: true, status: 200, headers: {}, json: async () => ({ result: { data } }) }
  }
  // The globals of React Native, less those that the package does not need.
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
    `const module = { exports: {} }
    ;((module, exports) => {${code}})(module, module.exports)
    const sdk = module.exports
    ;(async () => {
      const companion = sdk.createCompanion({ baseUrl: 'https://companion.test' })
      await companion.auth.signIn({ username: '', password: '' })
      tell(JSON.stringify(await companion.account.me()))
      await companion.session.signOut()
      const [, error] = await sdk.safe(companion.account.me())
      tell(String(sdk.isSignedOut(error)))
    })()`,
    bare,
  )
  expect(lines).toEqual(['{"root_user_id":7}', 'true'])
})
