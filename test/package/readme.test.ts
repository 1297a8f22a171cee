import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { DEMO_EMAIL, DEMO_PASSWORD } from '@companion/server/demo/family.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import { readmeFiles } from '../support/sdk-readme.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const run = promisify(execFile)
const tests = fileURLToPath(new URL('../', import.meta.url))
const files = await readmeFiles()
let folder = ''

/** Writes a block as a file inside the workspace, where the SDK is found by its name. */
async function written(name: string, changed = (code: string) => code): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, changed(files.get(name) ?? ''))
  return path
}

beforeAll(async () => void (folder = await mkdtemp(join(tests, '.sdk-readme-'))))
afterAll(() => rm(folder, { recursive: true }))

test('the first session runs as it is printed', async () => {
  const { email } = await signUp(server)
  const script = await written('first-session.mjs', (code) =>
    code
      .replace('http://127.0.0.1:3000', server.url)
      .replace(DEMO_EMAIL, email)
      .replace(DEMO_PASSWORD, PASSWORD),
  )
  const { stdout } = await run(process.execPath, [script])
  expect(stdout).toBe('Signed in as Kim Jiyoung\nchildren.read: 404 Real user is not found\n')
})

test('the route of Next.js answers each visitor with their own children', async () => {
  const route = await import(pathToFileURL(await written('app/api/children/route.ts')).href)
  const ask = async (cookie: string) => {
    const response: Response = await route.GET(
      new Request('https://app.example/api/children', { headers: { cookie } }),
    )
    return [response.status, await response.text()]
  }
  process.env['COMPANION_URL'] = server.url
  try {
    const [one, other] = [await signUp(server), await signUp(server)]
    const child = await addChild(server, one.token)
    const [status, text] = await ask(`access_token=${one.token}`)
    expect(status).toBe(200)
    expect(text).toContain(`"id":${child.real_user_id}`)
    expect(await ask(`access_token=${other.token}`)).toEqual([200, '[]'])
    expect(await ask('')).toEqual([401, 'Sign in first'])
    expect(await ask('access_token=old')).toEqual([401, 'Sign in again'])
  } finally {
    delete process.env['COMPANION_URL']
  }
})

test('the test of an app passes', async () => {
  await written('app.test.ts')
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  await writeFile(join(folder, 'vitest.config.mjs'), 'export default {}')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--root', folder], {
    env: { ...process.env, NO_COLOR: '1', VITEST: undefined },
  })
  expect(stdout).toMatch(/Tests +1 passed/)
})

test('every block that is a file is tried', () => {
  // newcomers.ts tries them outside the workspace, examples/check-apps.sh the screen.
  expect([...files.keys()]).toEqual([
    'first-session.mjs',
    'src/main.ts',
    'app/api/children/route.ts',
    'expo/home.tsx',
    'app.test.ts',
  ])
})
