import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import express from 'express'
import type { Response, Router } from 'express'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'

const MOST_MESSAGES = 50
const MOST_BYTES = 200_000

type Message = Readonly<Record<string, unknown>>

/**
 * The newest messages of the outbox file, at `/outbox` as a page and at `/outbox.json` as a list, newest first. The file
 * holds valid codes and links: only this machine is answered, by a loopback address and name, so that neither other
 * machines nor a foreign page in a browser here can read it. Never to be used in production.
 */
export function outboxPage(file: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const serve = (path: string, answer: (messages: Message[], response: Response) => void) => {
    router
      .route(path)
      .all((request, _response, next) => next(isFromHere(request) ? undefined : 'route'))
      .get(async (_request, response) => answer(await newestMessages(file), response))
      .all(methodNotAllowed('GET, HEAD'))
  }
  serve('/outbox', (messages, response) => void response.set(headers).send(render(messages)))
  serve('/outbox.json', (messages, response) => void response.json(messages))
  return router
}

const isFromHere = ({ socket, headers: { host = '' } }: IncomingMessage) =>
  /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '') &&
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host)

async function newestMessages(file: string): Promise<Message[]> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (!handle) return []
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - MOST_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
    // The first line may be cut.
    const lines = buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .slice(start > 0 ? 1 : 0)
    return lines
      .filter(Boolean)
      .slice(-MOST_MESSAGES)
      .toReversed()
      .map((line): Message => JSON.parse(line))
  } finally {
    await handle.close()
  }
}

const style = `:root { color-scheme: light dark; background: #fff; color: #111; --link: #0645ad }
@media (prefers-color-scheme: dark) { :root { background: #121212; color: #eee; --link: #8ab4ff } }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 42rem; margin: 0 auto; padding: 1rem 1rem 4rem }
h1, h2 { line-height: 1.25 }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere }
article { border: 1px solid #8888; border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0 }
p { margin: .25rem 0; overflow-wrap: anywhere }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
code { font: 600 1.5rem/1.5 ui-monospace, monospace; letter-spacing: .1em }
a { display: inline-block; padding: .25rem 0; color: var(--link) }
`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

const render = (messages: readonly Message[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Outbox – Companion</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Outbox</h1>
<p>Messages that this service would send in production, the newest first. <a href="/outbox">Look again</a></p>
${messages.map(article).join('\n') || '<p>There is no message yet.</p>'}
</main>
</body>
</html>
`

const names: Partial<Record<string, string>> = { sms: 'SMS', email: 'Mail' }

function article({ channel, to, sent_at, subject, code, link, text, ...rest }: Message): string {
  const kind = names[String(channel)] ?? String(channel)
  // An alert has no text, but fields.
  const content = text ?? JSON.stringify(rest, null, 2)
  return `<article>
<h2>${escaped(kind)} to ${escaped(to)}</h2>
<p><time>${escaped(sent_at)}</time></p>
${subject === undefined ? '' : `<p><strong>${escaped(subject)}</strong></p>`}
${code === undefined ? '' : `<p><code>${escaped(code)}</code></p>`}
${typeof link === 'string' && /^https?:/.test(link) ? `<p><a href="${escaped(link)}">Open the link</a></p>` : ''}
<pre>${escaped(content)}</pre>
</article>`
}

const escaped = (value: unknown) =>
  String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
