import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readConfig } from '@companion/server/config/config.ts'
import { DEMO_EMAIL, DEMO_PASSWORD, makeDemoFamily } from '@companion/server/demo/family.ts'
import { createBrowser } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

test('the blocks of "Integrate in ten minutes" run as they are printed', async () => {
  await makeDemoFamily(server.database, readConfig({}))
  const markdown = await readFile(`${root}docs/integrate.md`, 'utf8')
  const blocks = [...markdown.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) =>
    code.replaceAll('http://127.0.0.1:3000', server.url),
  )
  const [ask = '', paste = '', ...rest] = blocks
  expect(paste).toBe('CODE=paste-it-here\n')
  const bash = (script: string) =>
    run('bash', ['-euo', 'pipefail', '-c', script], {
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
    })

  const asked = await bash(`${ask}\ndeclare -p COMPANION REDIRECT VERIFIER`)
  const [address = '', ...variables] = asked.stdout.trim().split('\n')

  // What the parent does.
  const browser = createBrowser(server.url)
  const signIn = (await browser.ask(address)).location
  const signedIn = await browser.ask(signIn, { email: DEMO_EMAIL, password: DEMO_PASSWORD, action: 'go' })
  const consent = (await browser.ask(signedIn.location)).location
  const { page } = await browser.ask(consent)
  const [, child = ''] = /name="child" value="(\d+)"/.exec(page) ?? []
  const allowed = await browser.ask(consent, { child, period: 'month', action: 'go' })
  const answer = new URL((await browser.ask(allowed.location)).location)
  expect(answer.origin).toBe('http://127.0.0.1:8765')

  // Instead of `npx pnpm@12 simulate`, which may install the workspace first.
  const command = `npx() { shift 2; node '${root}examples/device-simulator/src/main.ts' "$@" >/dev/null; }`
  const script = rest.map((block) => `${block}\necho`).join('\n')
  const { stdout } = await bash(
    [command, ...variables, `CODE=${answer.searchParams.get('code')}`, script].join('\n'),
  )
  const answers = stdout
    .split('\n')
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line))
  expect(answers).toMatchObject([
    [{ id: Number(child), first_name: 'Mina' }],
    { items: [{ real_user_id: Number(child) }, {}], next: expect.any(String) },
    { detail: 'Insufficient scope' },
    { treatment_time_data: expect.any(Array) },
    { detail: 'Could not validate credentials' },
  ])
})
