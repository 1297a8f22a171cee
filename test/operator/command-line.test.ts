import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { companionCommand } from '@companion/server/commands/companion.ts'
import { companion as run } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { MAIN, PROCESS_ENVIRONMENT } from '../support/service-process.ts'
import { temporaryFile } from '../support/temporary-file.ts'

/* What holds for all commands. */

const server = useServer()
const companion = (...args: string[]) => run(server, ...args)

const leaves = (command: Command, path: string[]): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((each) => leaves(each, [...path, each.name()]))

test.each(leaves(await companionCommand(), []))(
  '%s shows examples that it would take',
  async (path, command) => {
    const { out } = await companion(...path.split(' '), '--help')
    const examples = [...out.matchAll(/^Example: companion (.*)$/gm)].map(([, example = '']) => example)
    expect(examples).not.toEqual([])
    for (const example of examples) {
      expect(example).toMatch(new RegExp(`^${path}(?: |$)`))
      const words = example.slice(path.length).trim().split(' ').filter(Boolean)
      const { operands, unknown } = command.parseOptions(words)
      expect(unknown).toEqual([])
      expect(operands.length).toBeGreaterThanOrEqual(
        command.registeredArguments.filter(({ required }) => required).length,
      )
      for (const { long, mandatory } of command.options) if (mandatory) expect(words).toContain(long)
    }
  },
)

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]

test('help shows each value that an option has by itself as it would be written', async () => {
  const options = all(await companionCommand()).flatMap((command) => command.options)
  for (const { long, parseArg, defaultValue: value, defaultValueDescription: shown } of options) {
    if (!parseArg || value === undefined) continue
    const written = shown ?? (typeof value === 'string' ? value : JSON.stringify(value))
    // An option that may be repeated begins with nothing.
    if (written === '[]' || written === '{}') continue
    expect([long, parseArg(written, undefined)]).toEqual([long, value])
  }
})

test('the help of all commands loads none of them, since all take a second of processor time', async () => {
  const directory = join(await temporaryFile('x', '.txt'), '..', randomUUID())
  const env = { ...PROCESS_ENVIRONMENT, NODE_V8_COVERAGE: directory }
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--help'], { env })
  expect(stdout).toContain('run the service until SIGTERM or SIGINT')
  const [file = ''] = await readdir(directory)
  const { result } = JSON.parse(await readFile(join(directory, file), 'utf8'))
  const source = new URL('.', pathToFileURL(MAIN)).href
  const loaded = result.flatMap(({ url }: { url: string }) =>
    url.startsWith(source) ? [url.slice(source.length)] : [],
  )
  expect(loaded.toSorted()).toEqual(['commands/companion.ts', 'commands/descriptions.ts', 'main.ts'])
})

test('a value that is not valid is named by its option, in words', async () => {
  const given = ['--serial-code', 'x', '--mac-id', 'abc', '--unique-id', 'mine', '--firmware-id', '1.5']
  const { code, out, said } = await companion('device', 'add', ...given)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(said.split('\n')).toEqual([
    '--serial-code must be 6 to 32 of A-Z 0-9 -',
    '--unique-id must be a UUID such as 3f2b8c9e-1111-4222-8333-123456789abc',
    '--mac-id must be 4 characters of 0-9 A-F',
    '--firmware-id must be a whole number',
    '',
  ])
})

test('an export can go to a new file, which only its owner can read', async () => {
  const account = await signUp(server)
  await addChild(server, account.token)
  const file = join(await temporaryFile('x', '.txt'), '..', `${randomUUID()}.json`)
  expect(await companion('account', 'export', account.email, '--output', file)).toMatchObject({
    code: 0,
    out: '',
  })
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ root_user: { email: account.email } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const again = await companion('account', 'export', account.email, '--output', file)
  expect(again).toMatchObject({ code: 1, said: `${file} cannot be used: it is there already\n` })
  const missing = `${file}.missing`
  const unknown = await companion('account', 'export', 'nobody@example.com', '--output', missing)
  expect(unknown.said).toBe('There is no account with this e-mail\n')
  await expect(stat(missing)).rejects.toThrow('ENOENT')
})

test('a list without entries says so; one is one', async () => {
  expect((await companion('devlog', 'deletions')).out).toBe('No usage log has been deleted\n')
  const account = await signUp(server)
  const child = await addChild(server, account.token)
  const moved = await companion('child', 'transfer', String(child.real_user_id), account.email, '--dry-run')
  expect(moved.out + moved.said).not.toContain('1 devices')
})
