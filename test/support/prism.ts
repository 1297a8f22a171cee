import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closedDocument } from './document.ts'

const PRISM = fileURLToPath(new URL('../node_modules/.bin/prism', import.meta.url))

export interface Violation {
  location: string[]
  message: string
}

/**
 * Starts a proxy before `upstream` that knows nothing but the OpenAPI document, and says in a header of each response how the
 * request and the response violate it.
 */
export async function startPrism(upstream: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const document = join(await mkdtemp(join(tmpdir(), 'companion-document-')), 'openapi.json')
  await writeFile(document, JSON.stringify(closedDocument()))
  const port = await freePort()
  const prism = spawn(PRISM, ['proxy', document, upstream, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    prism.stdout.on('data', (chunk) => String(chunk).includes('Prism is listening') && resolve())
    prism.once('exit', () => reject(new Error('Prism did not start')))
  })
  return {
    port,
    async stop() {
      prism.kill()
      await rm(dirname(document), { recursive: true })
    },
  }
}

/** What Prism says of an exchange in its header `sl-violations`. */
export function violationsIn(header: string | null | undefined): Violation[] {
  if (!header) return []
  // Of too many, Prism sends a text.
  return header.startsWith('[') ? JSON.parse(header) : [{ location: ['everywhere'], message: header }]
}

async function freePort(): Promise<number> {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const address = socket.address()
  socket.close()
  await once(socket, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
