import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEnded } from '../child-process.ts'
import { closedPort } from '../outside/local-server.ts'
import { until } from '../until.ts'

const EXECUTABLE = process.env['NGINX'] ?? '/usr/sbin/nginx'

/** Whether Debian's package `nginx` is missing. */
export const hasNoNginx = !existsSync(EXECUTABLE)

/**
 * Starts nginx before a server, as operators do: it compresses answers, and passes requests on as they come. It takes
 * HTTP/1.1 at `url` and HTTP/2 without TLS at `http2Url`, and speaks HTTP/1.1 with the server.
 */
export async function startNginx(
  origin: string,
): Promise<{ url: string; http2Url: string; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-nginx-'))
  const [port, http2Port] = [await closedPort(), await closedPort()]
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const settings = `daemon off;
master_process off;
pid ${directory}/pid;
error_log stderr error;
events { worker_connections 512; }
http {
  access_log off;
  ${paths.join('\n  ')}
  gzip on;
  gzip_proxied any;
  gzip_min_length 20;
  gzip_types application/json;
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${http2Port} http2;
    client_max_body_size 10m;
    location / {
      proxy_pass ${origin};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
`
  const file = join(directory, 'nginx.conf')
  await writeFile(file, settings)
  const child = spawn(EXECUTABLE, ['-p', directory, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (hasEnded(child)) throw new Error(`nginx does not start: ${said}`)
    return fetch(`${url}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    )
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
