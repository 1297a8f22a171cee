import { createCompanion, CursorLost } from '@companion/sdk'
import { clientCredentials } from '@companion/sdk/oauth'
import { startReceiver } from './receiver.ts'

/*
 * Follows the changes of all children whose parents have let this service in, as a hospital's back end would. A webhook tells
 * at once that there are some. Prints a line of JSON for each change, and the cursor to go on from. Ends by Ctrl-C.
 * Usage: back-end.ts [CURSOR]
 */

const {
  COMPANION_URL: baseUrl = 'http://127.0.0.1:3000',
  COMPANION_CLIENT_ID: clientId = '',
  COMPANION_CLIENT_SECRET: clientSecret = '',
  WEBHOOK_PORT: port = '8766',
  WEBHOOK_URL: publicUrl,
} = process.env
const print = (line: object) => console.log(JSON.stringify(line))

const scopes = ['child:read', 'usage:read']
const accessToken = clientCredentials({ baseUrl, clientId, clientSecret, scopes })
const { children, changes, webhooks } = createCompanion({ baseUrl, accessToken })
const { news, trust, ...receiver } = await startReceiver(Number(port))
// Over the internet: https, in front of this port.
const url = publicUrl ?? `http://127.0.0.1:${receiver.port}/`

/** Tells the service no longer to send messages here; also those of a run that has crashed. */
async function unregister() {
  for (const { webhook_id, url: registered } of await webhooks.list())
    if (registered === url) await webhooks.delete({ webhook_id })
}

/** Reads everything. Resolves to the cursor from which to go on: what changes while it reads comes behind that. */
async function readAll() {
  const { next: cursor } = await changes.list({ after: 'latest' })
  print({ children: (await children.list()).map(({ id }) => id), cursor })
  return cursor
}

await unregister()
const webhook = await webhooks.create({ url })
trust(webhook.secret)
print({ webhook: webhook.webhook_id })

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

let [, , after] = process.argv
after ??= await readAll()
while (!stopping.signal.aborted) {
  // Keep the cursor where you keep your work, so that nothing is lost.
  const save = (cursor: string) => print({ cursor })
  try {
    for await (const change of changes.follow({ after, save, news, signal: stopping.signal }))
      print({ changes: [change] })
  } catch (error) {
    // Changes older than 90 days are no longer kept, so a service that was away for longer reads everything again.
    if (!(error instanceof CursorLost)) throw error
    after = await readAll()
  }
}
await unregister()
process.exit()
