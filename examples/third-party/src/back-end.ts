import { connectAsBackEnd } from './connect.ts'
import { changesSince, cursorOfNow } from './follow.ts'
import { startReceiver } from './receiver.ts'
import { expectData, openService } from './requests.ts'

/*
 * Follows the changes of all children whose parents have let this service in, as a hospital's back end would: a webhook tells
 * that there are some, and the feed tells which. Prints a line of JSON for each page, with the cursor to go on from. Ends
 * by Ctrl-C. Usage: back-end.ts [CURSOR]
 */

const {
  COMPANION_URL: baseUrl = 'http://127.0.0.1:3000',
  COMPANION_CLIENT_ID: clientId = '',
  COMPANION_CLIENT_SECRET: secret = '',
  WEBHOOK_PORT: port = '8766',
  WEBHOOK_URL: publicUrl,
} = process.env
const print = (line: object) => console.log(JSON.stringify(line))

const service = openService(baseUrl, await connectAsBackEnd(baseUrl, clientId, secret))
const receiver = await startReceiver(Number(port))
// Over the internet: https, in front of this port.
const url = publicUrl ?? `http://127.0.0.1:${receiver.port}/`

/** Tells the service no longer to send messages here; also those of a run that has crashed. */
async function unregister(): Promise<void> {
  const webhooks = await expectData(service.GET('/api/v1/beta/webhook'))
  for (const { webhook_id } of webhooks.filter((each) => each.url === url))
    await service.DELETE('/api/v1/beta/webhook/{webhook_id}', { params: { path: { webhook_id } } })
}

async function stop(): Promise<never> {
  await unregister()
  process.exit(0)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

/** Reads everything. Resolves to the cursor from which to go on. */
async function readAll(): Promise<string> {
  const cursor = await cursorOfNow(service)
  const children = await expectData(service.GET('/api/v1/beta/user/real-user'))
  print({ children: children.map(({ id }) => id), cursor })
  return cursor
}

await unregister()
const webhook = await expectData(service.POST('/api/v1/beta/webhook', { body: { url } }))
receiver.trust(webhook.secret)
print({ webhook: webhook.webhook_id })

for (let cursor = process.argv[2] ?? (await readAll()); ; await receiver.news()) {
  for await (const page of changesSince(service, cursor)) {
    // Changes older than 90 days are no longer kept, so a service that was away for longer reads everything again.
    if (!page) cursor = await readAll()
    else {
      if (page.items.length > 0) print({ changes: page.items, cursor: page.next })
      cursor = page.next
    }
  }
}
