import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEnded } from '../child-process.ts'
import { closedPort } from '../outside/local-server.ts'
import { until } from '../until.ts'

const EXECUTABLE = process.env['HAPROXY'] ?? '/usr/sbin/haproxy'

/** Whether Debian's package `haproxy` is missing. */
export const hasNoHaproxy = !existsSync(EXECUTABLE)

/**
 * Starts HAProxy before several servers, which take requests in turn. HAProxy passes over a server that refuses
 * connections, and never sends a request twice. With `checks` it sends requests only to servers whose `/readyz`
 * answers 200. At `http2Url` it takes HTTP/2 without TLS; with `compresses` it packs answers.
 */
export async function startHaproxy(
  origins: readonly string[],
  {
    checks = true,
    port: chosen,
    compresses = false,
  }: { checks?: boolean; port?: number; compresses?: boolean } = {},
): Promise<{ url: string; http2Url: string; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-haproxy-'))
  const port = chosen ?? (await closedPort())
  const http2Port = await closedPort()
  const servers = origins.map(
    (origin, n) => `server s${n} ${new URL(origin).host}${checks ? ' check inter 500ms fall 1 rise 1' : ''}`,
  )
  const settings = `global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout check 20s
  timeout client 130s
  timeout server 130s
  timeout http-keep-alive 60s
  retries 3
  retry-on conn-failure
  option redispatch 1
  option forwardfor
  ${checks ? 'option httpchk GET /readyz' : ''}
listen companion
  bind 127.0.0.1:${port}
  bind 127.0.0.1:${http2Port} proto h2
  ${compresses ? 'compression algo gzip\n  compression type application/json' : ''}
  balance roundrobin
  ${servers.join('\n  ')}
  http-error status 502 content-type application/json string '{"detail":"Bad Gateway"}'
  http-error status 503 content-type application/json string '{"detail":"Service Unavailable"}'
  http-error status 504 content-type application/json string '{"detail":"Gateway Timeout"}'
`
  const file = join(directory, 'haproxy.cfg')
  await writeFile(file, settings)
  const child = spawn(EXECUTABLE, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const url = `http://127.0.0.1:${port}`
  await until(() => {
    if (hasEnded(child)) throw new Error(`HAProxy does not start: ${said}`)
    return answers(`${url}/healthz`)
  })
  return {
    url,
    http2Url: `http://127.0.0.1:${http2Port}`,
    async stop() {
      process.off('exit', kill)
      const ended = !hasEnded(child) && once(child, 'exit')
      kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const answers = (url: string) =>
  fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  )
