import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { MAIN, PROCESS_ENVIRONMENT } from '../support/service-process.ts'

/* Where the output of commands goes, as a shell sends it there. */

const server = useServer()

/** Runs a line of a shell, in which `companion` is the command of this code. */
async function shell(line: string): Promise<{ code: number; out: string; said: string }> {
  const script = `set -o pipefail; companion() { "${process.execPath}" "${MAIN}" "$@"; }; ${line}`
  const done: unknown = await promisify(execFile)('bash', ['--norc', '-c', script], {
    env: { ...PROCESS_ENVIRONMENT, DATABASE_URL: server.databaseUrl, TOKEN_SECRET: TEST_SECRET },
  }).catch((error: unknown) => error)
  const read = (name: string) => String(Reflect.get(Object(done), name) ?? '')
  return { code: Number(read('code') || 0), out: read('stdout'), said: read('stderr') }
}

test('a reader that has read enough ends a command quietly', async () => {
  // More than a pipe holds.
  await server.database.pool.query(
    `INSERT INTO device (serial_code, mac_id, unique_id, device_alias)
     SELECT 'PIPE-' || lpad(n::text, 6, '0'), 'AAAA', gen_random_uuid(), '' FROM generate_series(1, 3000) n`,
  )
  const { code, out, said } = await shell('companion device list --limit 90000 | head -1')
  expect({ code, said }).toEqual({ code: 0, said: '' })
  expect(out).toMatch(/^DEVICE +SERIAL CODE/)
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const trail = await shell(`companion trail export --child ${real_user_id} | true`)
  expect({ code: trail.code, said: trail.said }).toEqual({ code: 0, said: '' })
})

test.each(['device list', 'trail verify', 'account list --json', '--help'])(
  'a full disk fails %s in a sentence',
  async (command) => {
    expect(await shell(`companion ${command} > /dev/full`)).toEqual({
      code: 1,
      out: '',
      said: expect.stringMatching(/^(.*\n)*The output cannot be written: the disk is full\n$/),
    })
  },
)

/** `main.ts` says what becomes of output that cannot be written, of all that goes through `process.stdout`. */
test('nothing is written past process.stdout, and a new place that writes is looked at', () => {
  const root = new URL('../../', import.meta.url)
  const places = globSync('server/src/**/*.ts', {
    cwd: root,
    exclude: ['**/*.test.ts'],
  }).filter((file) =>
    /process\.stdout\.write|console\.\w+\(|writeSync\(1|'\/dev\/stdout'/.test(
      readFileSync(new URL(file, root), 'utf8'),
    ),
  )
  expect(places.toSorted()).toEqual([
    'server/src/commands/program.ts',
    'server/src/commands/serve.ts',
    'server/src/commands/trail.ts',
  ])
})
