import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { serveSameOrigin } from './same-origin.ts'

/* `pnpm app`: opens the app in a browser, beside a service that runs. It is installed and built the first time. */

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const app = path('../')
const built = path('../dist/web/')
const service = process.env['COMPANION_URL'] ?? 'http://127.0.0.1:3000'
const port = Number(process.env['PORT'] ?? 8080)

// A browser reaches no device.
const environment = { EXPO_PUBLIC_DEVICE_LINK: 'simulated', ...process.env }
const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { cwd: app, env: environment, stdio: 'inherit' }).status === 0

function orExit(done: boolean, message: string): void {
  if (done) return
  console.error(message)
  process.exit(1)
}

const isReady = await fetch(`${service}/readyz`).then(
  ({ ok }) => ok,
  () => false,
)
orExit(
  isReady,
  `No service answers at ${service}. Start it with "npx pnpm@12 start" first, or set COMPANION_URL to its address.`,
)

if (!existsSync(built) || process.argv.includes('--again')) {
  console.log('Installing and building the app, which takes some minutes the first time')
  orExit(
    run(path('../../install-apps.sh'), ['parents-app']),
    'The packages of the app could not be installed.',
  )
  orExit(
    run(path('../node_modules/.bin/expo'), ['export', '--platform', 'web', '--output-dir', built]),
    'The app could not be built.',
  )
}

const { url } = await serveSameOrigin(built, service, port)
console.log(`The parents' app runs at ${url}, beside the service at ${service}. Stop it with Ctrl+C.`)
const openers = new Map([
  ['darwin', 'open'],
  ['win32', 'explorer'],
])
// A machine without a browser opens nothing; the address is printed.
spawn(openers.get(process.platform) ?? 'xdg-open', [url], { stdio: 'ignore' }).on('error', () => undefined)
