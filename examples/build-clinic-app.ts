import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/*
 * `pnpm start` loads this before the service. The first time, it builds the clinicians' application, which the service serves as soon as it
 * is there.
 */

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Runs a program beside the service. It prints nothing unless it fails. */
async function run(program: string, ...parameters: string[]): Promise<void> {
  const child = spawn(program, parameters, { cwd: path('clinic'), stdio: ['ignore', 'pipe', 'pipe'] })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const stop = () => child.kill()
  process.once('exit', stop)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()))
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  process.off('exit', stop)
  if (code !== 0) throw new Error(printed)
}

async function build(): Promise<void> {
  console.log("The clinicians' application is being built, once; it takes a minute.")
  await run(path('install-apps.sh'), 'clinic')
  await run(process.execPath, path('clinic/node_modules/vite/bin/vite.js'), 'build')
  console.log("The clinicians' application is built. The service serves it under /clinic.")
}

if (cluster.isPrimary && isMainThread && !existsSync(path('clinic/dist/app/index.html')))
  build().catch((error: unknown) => {
    console.error(
      `The clinicians' application could not be built, and the service runs without it. examples/clinic/README.md says how to build it. ${String(error)}`,
    )
  })
