import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { TEST_SECRET } from './server.ts'
import type { TestServer } from './server.ts'

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface Done {
  code: number
  out: string
  said: string
}

/** Runs `companion …` beside a server, as an operator does. */
export async function companion({ databaseUrl }: TestServer, ...args: string[]): Promise<Done> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, TOKEN_SECRET: TEST_SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], out, said] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, said }
}
