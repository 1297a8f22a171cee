import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HOME_TIME_ZONE } from './home.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SERVICE = join(root, 'server/src/main.ts')
const MOVABLE_CLOCK = fileURLToPath(new URL('movable-clock.ts', import.meta.url))
const SIMULATOR = join(root, 'examples/device-simulator/src/main.ts')

export interface Service {
  url: string
  /** The newest code sent to a phone. */
  smsCode: (phone: string) => Promise<string>
  /** The link in the newest mail to an address. */
  mailedLink: (to: string) => Promise<string>
  /** Runs the operator's command line against the service. Returns what it prints. */
  companion: (...args: string[]) => Promise<string>
  /** Runs the device simulator. */
  simulate: (...args: string[]) => Promise<string>
  /** Puts the clock of the service a day ahead. */
  nextDay: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts a real service with the demo family on a free port, and with these settings. Its data are deleted at the end. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const data = await mkdtemp(join(tmpdir(), 'companion-story-'))
  // Stories that are not about consents begin behind them.
  const quiet = { CONSENT_VERSIONS: '{}' }
  // The nights of the demo family are those of the machine's time zone, and the phones are at home.
  const home = { PATH: process.env['PATH'], TZ: HOME_TIME_ZONE }
  const environment = { ...home, DATA_DIR: data, PORT: '0', ...quiet, ...settings }
  const child = spawn(process.execPath, ['--import', MOVABLE_CLOCK, SERVICE, 'serve', '--demo'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  process.once('exit', () => child.kill('SIGTERM'))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += String(chunk)
      const port = /"port":(\d+)/.exec(printed)?.[1]
      // The banner comes last; by then the demo family exists.
      if (port && printed.includes('demo sign-in')) resolve(`http://127.0.0.1:${port}`)
    })
    child.once('exit', () => reject(new Error(`The service did not start: ${printed}`)))
  })
  const run = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: environment,
      timeout: 60_000,
    })
    return stdout
  }
  const newestTo = async (recipient: string) => {
    const lines = (await readFile(join(data, 'outbox.jsonl'), 'utf8')).split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line)).findLast(({ to }) => to === recipient)
  }
  return {
    url,
    smsCode: async (phone) => String((await newestTo(phone)).code),
    mailedLink: async (address) => String((await newestTo(address)).link),
    companion: (...args) => run(SERVICE, ...args),
    simulate: (...args) => run(SIMULATOR, ...args, '--url', url),
    nextDay: async () => {
      child.send('next day')
      await once(child, 'message')
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}
