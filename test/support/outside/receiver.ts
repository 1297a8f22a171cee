import { Webhook } from 'standardwebhooks'
import type { ServerResponse } from 'node:http'
import { listen } from './local-server.ts'
import type { LocalServer, Received } from './local-server.ts'

export interface Receiver extends LocalServer {
  /** How messages are answered; without it 204. */
  response: ((response: ServerResponse, request: Received) => void) | undefined
  /** How a challenge is answered; without it as it should be. */
  verify: ((response: ServerResponse, challenge: string) => void) | undefined
  /** The messages about changes. */
  bells: () => { id: string; at: number; body: any; headers: Record<string, string> }[]
}

/** The server of a service that receives webhooks, for one test. */
export async function startReceiver(): Promise<Receiver> {
  const times: number[] = []
  const local = await listen((response, request) => {
    times.push(performance.now())
    const { type, data } = JSON.parse(request.body)
    if (type !== 'webhook.verify')
      return receiver.response ? receiver.response(response, request) : void response.writeHead(204).end()
    if (receiver.verify) return receiver.verify(response, data.challenge)
    return void response.end(JSON.stringify({ challenge: data.challenge }))
  })
  const receiver: Receiver = {
    ...local,
    response: undefined,
    verify: undefined,
    bells: () =>
      local.received.flatMap(({ body, headers }, n) => {
        const parsed = JSON.parse(body)
        if (parsed.type !== 'changes.available') return []
        return [
          {
            id: String(headers['webhook-id']),
            at: times[n] ?? 0,
            body: parsed,
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name, String(value)]),
            ),
          },
        ]
      }),
  }
  return receiver
}

/** Verifies a message as a receiver does, by a library of others. Throws if it is not signed by `secret`. */
export const verified = (secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): unknown =>
  new Webhook(secret).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  )
