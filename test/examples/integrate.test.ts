import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { DEMO_EMAIL, DEMO_PASSWORD, makeDemoFamily } from '@companion/server/demo/family.ts'
import { hasEnded, killGroup } from '../support/child-process.ts'
import { settled } from '../support/changes.ts'
import { createBrowser } from '../support/oauth.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { PROCESS_ENVIRONMENT } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { startRinging } from '../support/webhooks.ts'

const server = useServer()
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The blocks of a page for the shell, in their order. */
async function blocksOf(page: string): Promise<string[]> {
  const markdown = await readFile(`${root}docs/${page}`, 'utf8')
  return [...markdown.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) =>
    code.replaceAll('http://127.0.0.1:3000', server.url),
  )
}

/** What the parent does with the address that a block prints. Resolves to the child, and where the browser ends. */
async function allow(address: string): Promise<{ child: string; response: URL }> {
  const browser = createBrowser(server.url)
  const signIn = (await browser.ask(address)).location
  const signedIn = await browser.ask(signIn, { email: DEMO_EMAIL, password: DEMO_PASSWORD, action: 'go' })
  const consent = (await browser.ask(signedIn.location)).location
  const { page } = await browser.ask(consent)
  const [, child = ''] = /name="child" value="(\d+)"/.exec(page) ?? []
  const allowed = await browser.ask(consent, { child, period: 'month', action: 'go' })
  const response = new URL((await browser.ask(allowed.location)).location)
  expect(response.origin).toBe('http://127.0.0.1:8765')
  return { child, response }
}

/**
 * Runs blocks one after the other in one shell. A block that prints the address of a consent waits until `decide` says what to
 * set before the next one. `pnpm` may install the workspace first, so its commands run without it.
 */
async function runBlocks(
  blocks: readonly string[],
  decide: (address: string) => Promise<string>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-integrate-'))
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: directory,
    env: {
      ...PROCESS_ENVIRONMENT,
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      DATABASE_URL: server.databaseUrl,
      TOKEN_SECRET: TEST_SECRET,
      WEBHOOK_PORT: '0',
      TMPDIR: directory,
    },
    // A group of its own, so that what a block has started ends with it.
    detached: true,
    timeout: 240_000,
  })
  onTestFinished(async () => {
    killGroup(shell)
    await rm(directory, { recursive: true, force: true })
  })
  let [stdout, stderr] = ['', '']
  shell.stdout.on('data', (chunk) => void (stdout += String(chunk)))
  shell.stderr.on('data', (chunk) => void (stderr += String(chunk)))
  const closed = once(shell, 'close')
  shell.stdin.write(`ln -s '${root}examples' examples
npx() {
  local command
  while [[ $1 != simulate && $1 != companion ]]; do shift; done
  command=$1 && shift
  case $command in
    simulate) node '${root}examples/device-simulator/src/main.ts' "$@" >/dev/null ;;
    companion) node '${root}server/src/main.ts' "$@" ;;
  esac
}
`)
  for (const [n, block] of blocks.entries()) {
    const mark = `--- ${n} ---`
    const before = stdout.length
    shell.stdin.write(`${block}\necho; echo '${mark}'\n`)
    await until(() => {
      if (hasEnded(shell)) throw new Error(`The shell has ended: ${stdout.slice(-2000)}${stderr}`)
      return stdout.includes(mark)
    })
    // So that the next block finds in the feed what this one has done, beside the transactions of other tests.
    await settled(server)
    const [address] = /^http\S+\/oauth\/authorize\S+$/m.exec(stdout.slice(before)) ?? []
    if (address !== undefined) shell.stdin.write(await decide(address))
  }
  shell.stdin.end()
  expect(await closed).toEqual([0, null])
  return stdout
}

/** What would be doubled by commands that are not made to be repeated. */
async function leftBehind() {
  const { rows } = await server.database.pool.query<Record<string, number>>(`
    SELECT (SELECT count(*) FROM client)::int AS clients,
      (SELECT count(*) FROM access_grant WHERE ended_at IS NULL)::int AS grants,
      (SELECT count(*) FROM webhook)::int AS webhooks,
      (SELECT count(*) FROM device)::int AS devices,
      (SELECT count(*) FROM treatment)::int AS treatments,
      (SELECT count(DISTINCT (device_id, treatment_date)) FROM treatment)::int AS uses`)
  return rows[0]
}

test('the blocks of "Integrate in ten minutes" run as they are printed, twice in a row', async () => {
  await makeDemoFamily(server.database)
  const before = await leftBehind()
  const worker = startRinging(server)
  onTestFinished(() => worker.stop())
  const [ask = '', paste, ...rest] = await blocksOf('integrate.md')
  expect(paste).toBe('CODE=paste-it-here\n')
  const children: number[] = []
  const once = [ask, ...rest]
  const stdout = await runBlocks([...once, ...once], async (address) => {
    const { child, response: answer } = await allow(address)
    children.push(Number(child))
    return `CODE=${answer.searchParams.get('code')}\n`
  })
  const responses = stdout
    .split('\n')
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line))
  const expected = (child: number | undefined, same: number | undefined) => [
    [{ id: child, first_name: 'Mina' }],
    { items: [{ real_user_id: child }, {}], next: expect.any(String) },
    { detail: 'Insufficient scope' },
    {
      items: expect.arrayContaining([expect.objectContaining({ kind: 'treatment.stored' })]),
      has_more: false,
    },
    { treatment_time_data: expect.any(Array) },
    { detail: 'Could not validate credentials' },
    [{ id: same, first_name: 'Mina' }],
    [{ url: expect.stringContaining('http://127.0.0.1:'), state: 'active' }],
    [],
    { removed: true },
    { detail: 'Could not validate credentials' },
  ]
  const [first, second, third, fourth] = children
  expect(responses).toMatchObject([...expected(first, second), ...expected(third, fourth)])
  // Each time the device is worn twice.
  const { treatments = 0, uses = 0, ...others } = before ?? {}
  expect(await leftBehind()).toEqual({ ...others, treatments: treatments + 4, uses: uses + 4 })
})

test('the page shows the programs of the examples as they are', async () => {
  const markdown = await readFile(`${root}docs/integrate.md`, 'utf8')
  const shown = [...markdown.matchAll(/^```ts (\S+)\n(.*?)^```/gms)]
  expect(shown.map(([, path]) => path)).toEqual([
    'examples/third-party/src/back-end.ts',
    'examples/third-party/src/receiver.ts',
  ])
  for (const [, path = '', code] of shown) expect(code).toBe(await readFile(`${root}${path}`, 'utf8'))
})
