import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { demoDevice } from '@companion/server/demo/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const run = promisify(execFile)
const readme = fileURLToPath(new URL('../../README.md', import.meta.url))

const blocks = (markdown: string, language: string) =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)

test('the first session of the README runs as it is printed, with curl and with the SDK', async () => {
  await server.database.sql
    .insertInto('device')
    .values({ ...demoDevice(3), device_alias: demoDevice(3).serial_code })
    .execute()
  const markdown = await readFile(readme, 'utf8')
  const here = (code: string) =>
    code
      .replaceAll('http://127.0.0.1:3000', server.url)
      .replaceAll('.data/outbox.jsonl', server.config.outboxFile)
  const session = blocks(markdown.slice(markdown.indexOf('## A first session')), 'sh')
    .map(here)
    .join('\n')

  const { stdout } = await run('bash', ['-euc', session])
  const chart = JSON.parse(stdout.slice(stdout.indexOf('{"treatment_time_data"')))
  expect(chart).toMatchObject({
    treatment_time_data: [{ treatment_date: '2026-03-01', treatment_time: 1080 }],
    treatment_intensity_data: [{ treatment_date: '2026-03-01', last_intensity: 12 }],
    avg_treatment_time: 1080,
  })

  const [example = ''] = blocks(markdown, 'ts').map(here)
  // Inside the workspace, so that the SDK is found as it is by name.
  const directory = await mkdtemp(join(fileURLToPath(new URL('../', import.meta.url)), '.readme-'))
  try {
    await writeFile(join(directory, 'example.ts'), example)
    const { stdout: printed } = await run(process.execPath, [join(directory, 'example.ts')])
    expect(printed).toBe('Signed in as Kim Jiyoung\nReal user is not found\n')
  } finally {
    await rm(directory, { recursive: true })
  }
})
