import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PASSWORD, signUp } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

const server = useServer()
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

const blocks = (markdown: string, language: string) =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)

test('the first session of the README runs as it is printed, and runs again', async () => {
  const markdown = await readFile(`${root}README.md`, 'utf8')
  const session = blocks(markdown.slice(markdown.indexOf('## A first session')), 'sh')
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', server.url)
  // Instead of `npx pnpm@12 companion`, which may install the workspace first.
  const command = `npx() { shift 2; node '${root}server/src/main.ts' "$@"; }`
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    DATABASE_URL: server.databaseUrl,
    TOKEN_SECRET: TEST_SECRET,
  }
  const { stdout } = await run('bash', ['-euc', `${command}\n${session}\n${session}`], { env })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.filter((line) => line === 'true')).toHaveLength(2)
  expect(lines.filter((line) => line.includes('"duplicate"'))).toHaveLength(2)
  const charts = lines.filter((line) => line.startsWith('{"treatment_time_data"'))
  expect(charts).toHaveLength(2)
  for (const chart of charts) {
    expect(JSON.parse(chart)).toMatchObject({
      treatment_time_data: [{ treatment_date: '2026-03-01', treatment_time: 1080 }],
      treatment_intensity_data: [{ treatment_date: '2026-03-01', last_intensity: 12 }],
      avg_treatment_time: 1080,
    })
  }
})

test('the session with the SDK is a file that runs, and runs again', async () => {
  const { email } = await signUp(server)
  const file = `${root}examples/sdk/first-session.ts`
  const [printed] = blocks(await readFile(`${root}README.md`, 'utf8'), 'ts')
  expect(printed).toBe(await readFile(file, 'utf8'))
  const env = {
    PATH: process.env['PATH'],
    COMPANION_URL: server.url,
    COMPANION_EMAIL: email,
    COMPANION_PASSWORD: PASSWORD,
  }
  for (let time = 0; time < 2; time += 1) {
    const { stdout } = await run(process.execPath, [file], { env })
    expect(stdout).toMatch(/^Signed in as .+\nReal user is not found\n$/)
  }
})
