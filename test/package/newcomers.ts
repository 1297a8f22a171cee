import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readmeFiles } from '../support/sdk-readme.ts'

/*
 * Follows the README of the SDK as a newcomer does, outside the workspace: packs and installs the SDK, runs the first session
 * on Node.js 20 and 24 against the service of `pnpm start`, builds the page with Vite, serves the route with Next.js, and runs the test of
 * an app in Jest. Compiles the programs of examples/third-party too, and starts their back end. Fails at the first step that does
 * not do what the README says.
 */

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const readme = await readmeFiles()
const project = await mkdtemp(join(tmpdir(), 'companion-newcomer-'))

const DEPENDENCIES = {
  'node-20': 'npm:node@20.19.5',
  'node-24': 'npm:node@24.21.0',
  jest: '30.5.2',
  next: '16.4.6',
  'openid-client': '6.9.0',
  react: '19.2.3',
  'react-dom': '19.2.3',
  '@types/node': '24.10.1',
  '@types/react': '19.2.7',
  typescript: '5.9.3',
  vite: '8.3.8',
}

const block = (name: string): string => {
  const code = readme.get(name)
  if (code === undefined) throw new Error(`The README has no file ${name}`)
  return code
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, name)), { recursive: true })
  await writeFile(join(project, name), text)
}

function check(step: string, found: string, wanted: string): void {
  if (!found.includes(wanted)) throw new Error(`${step}: no "${wanted}" in\n${found}`)
  console.log(`${step}: ${wanted.trim().split('\n').at(-1)}`)
}

/** Runs a program of the project by one of its own Node.js versions. */
async function node(version: 20 | 24, parameters: string[], env: Record<string, string> = {}) {
  const program = join(project, `node_modules/node-${version}/bin/node`)
  const { stdout, stderr } = await run(program, parameters, {
    cwd: project,
    env: { ...process.env, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', ...env },
  })
  return stdout + stderr
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (!address || typeof address === 'string') throw new Error('No port')
  return address.port
}

/** Starts a server, and resolves when it has printed `ready`. */
async function start(parameters: string[], cwd: string, env: Record<string, string>, ready: string) {
  const child = spawn(process.execPath, parameters, { cwd, env: { ...process.env, ...env } })
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    const heard = (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes(ready)) resolve()
    }
    child.stdout.on('data', heard)
    child.stderr.on('data', heard)
    child.once('exit', () => reject(new Error(`It ended:\n${printed}`)))
  })
  return async () => {
    child.kill()
    await once(child, 'exit')
  }
}

try {
  const pnpm = (parameters: string[], cwd: string) => run('npx', ['-y', 'pnpm@12', ...parameters], { cwd })
  await pnpm(['pack', '--pack-destination', project], join(root, 'sdk'))
  const tarball = (await readdir(project)).find((file) => file.endsWith('.tgz')) ?? ''
  const dependencies = { ...DEPENDENCIES, '@companion/sdk': `file:./${tarball}` }
  await write('package.json', JSON.stringify({ private: true, dependencies }))
  // The packages `node` fetch their program by a script.
  await write(
    'pnpm-workspace.yaml',
    'allowBuilds: { node: true, "@parcel/watcher": false, esbuild: false, sharp: false, unrs-resolver: false }\n',
  )
  await pnpm(['install'], project)

  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const stop = await start(
    ['--import', './examples/build-clinic-app.ts', 'server/src/main.ts', 'serve', '--demo'],
    root,
    { PORT: String(port), DATA_DIR: join(project, 'data'), LOG_LEVEL: 'error' },
    existsSync(join(root, 'examples/clinic/dist/app/index.html'))
      ? 'Companion runs at'
      : 'The service serves it under /clinic',
  )
  try {
    check('The clinic of the demo', await (await fetch(`${baseUrl}/clinic/`)).text(), '<title>')

    await write('first-session.mjs', block('first-session.mjs').replace('http://127.0.0.1:3000', baseUrl))
    for (const version of [20, 24] as const)
      check(
        `The first session on ${(await node(version, ['--version'])).trim()}`,
        await node(version, ['first-session.mjs']),
        'Signed in as Kim Jiyoung\nchildren.read: 404 Real user is not found\n',
      )

    await cp(join(root, 'examples/third-party'), join(project, 'third-party'), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
    const compiled = await node(24, ['node_modules/typescript/bin/tsc', '-p', 'third-party'])
    check('The programs of integrators', `compiled ${compiled}`, 'compiled')
    const { stdout: added } = await run(
      process.execPath,
      [
        join(root, 'server/src/main.ts'),
        ...'client add --name Study --publisher Hospital --contact study@example.org'.split(' '),
        ...'--url https://study.example.org --scope child:read --scope usage:read --json'.split(' '),
      ],
      { cwd: root, env: { ...process.env, DATA_DIR: join(project, 'data') } },
    )
    const { client_id, client_secret } = Object(JSON.parse(added))
    const stopBackEnd = await start(
      [join(project, 'third-party/src/back-end.ts')],
      project,
      {
        COMPANION_URL: baseUrl,
        COMPANION_CLIENT_ID: client_id,
        COMPANION_CLIENT_SECRET: client_secret,
        WEBHOOK_PORT: '0',
      },
      '"cursor"',
    )
    await stopBackEnd()
    console.log('The back end of integrators: it registers its webhook, follows changes and leaves')
    // Next.js would compile it with settings of its own.
    await rm(join(project, 'third-party'), { recursive: true })

    await write('src/main.ts', block('src/main.ts'))
    await write('index.html', '<!doctype html><script type="module" src="/src/main.ts"></script>')
    check('The page with Vite', await node(24, ['node_modules/vite/bin/vite.js', 'build']), 'built in')

    await write('app/api/children/route.ts', block('app/api/children/route.ts'))
    await write(
      'app/layout.tsx',
      'export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html><body>{children}</body></html>\n}\n',
    )
    const next = 'node_modules/next/dist/bin/next'
    check('The route with Next.js', await node(24, [next, 'build']), '/api/children')
    const nextPort = await freePort()
    const stopNext = await start(
      [join(project, next), 'start', '-p', String(nextPort)],
      project,
      { COMPANION_URL: baseUrl },
      'Ready',
    )
    try {
      const signedIn = await fetch(`${baseUrl}/api/v1/alpha/auth/email/signin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'demo@example.com', password: 'demo-family-2026' }),
      })
      const { access_token } = Object(await signedIn.json())
      const ask = async (cookie: string) => {
        const response = await fetch(`http://127.0.0.1:${nextPort}/api/children`, { headers: { cookie } })
        return `${response.status} ${await response.text()}`
      }
      check('A visitor without a session', await ask(''), '401 Sign in first')
      check('A visitor with a session', await ask(`access_token=${access_token}`), '200 [{')
    } finally {
      await stopNext()
    }

    await write(
      'app.test.js',
      block('app.test.ts')
        .replace(/^import .* from 'vitest'$/m, '')
        .replaceAll(/^import (.*) from (.*)$/gm, 'const $1 = require($2)'),
    )
    const jest = ['node_modules/jest/bin/jest.js', '--rootDir', project, '--testMatch', '**/app.test.js']
    check('The test of an app in Jest', await node(20, jest), 'Tests:       1 passed')
  } finally {
    await stop()
  }
} finally {
  await rm(project, { recursive: true })
}
