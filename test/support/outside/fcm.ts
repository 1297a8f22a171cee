import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'
import { jwtVerify } from 'jose'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: any
}

type Respond = (response: ServerResponse) => void

/** An error response of FCM, as in FCM's reference. */
export const fcmError =
  (code: number, status: string, errorCode?: string, headers: Record<string, string> = {}): Respond =>
  (response) => {
    const details = errorCode
      ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
      : []
    response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { code, message: 'no', status, details } }))
  }

/** Lets messages wait for their response until they are released. */
export function held(answer: Respond): { answer: Respond; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { answer: (response) => void promise.then(() => answer(response)), release: resolve }
}

export interface FakeFcm {
  origin: string
  /** Environment variables that make a service send here. */
  environment: Record<string, string>
  /** Messages that FCM received, including those it refused. */
  messages: Received[]
  /** Messages that the webhook of the messaging app received. */
  hooks: Received[]
  tokenRequests: number
  /** Responses to the next messages, one each. Later messages get `always`, or success. */
  responses: Respond[]
  always: Respond | undefined
  hookStatuses: number[]
  /** Invalidates the access tokens issued so far. */
  revoke: () => void
  reset: () => void
}

const nothingYet = (): Pick<
  FakeFcm,
  'messages' | 'hooks' | 'tokenRequests' | 'responses' | 'always' | 'hookStatuses'
> => ({ messages: [], hooks: [], tokenRequests: 0, responses: [], always: undefined, hookStatuses: [] })

export const ALIMTALK_WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the messaging app, 32 bytes').toString('base64')}`

/**
 * Starts a server that implements FCM's HTTP v1 and Google's token endpoint as documented, and the webhook of the
 * messaging app at `/alim-talk`. It answers 400 to any request that the documentation does not allow.
 */
export function useFcm(): FakeFcm {
  let generation = 0
  const fake: FakeFcm = {
    origin: '',
    environment: {},
    ...nothingYet(),
    revoke: () => void (generation += 1),
    reset: () => Object.assign(fake, nothingYet()),
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse) {
    fake.tokenRequests += 1
    const form = new URLSearchParams(await text(request))
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      issuer: 'sender@companion-test.iam.gserviceaccount.com',
      audience: `${fake.origin}/token`,
      requiredClaims: ['iat', 'exp'],
    })
    const isRight =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      payload['scope'] === 'https://www.googleapis.com/auth/firebase.messaging' &&
      protectedHeader.kid === 'key-1' &&
      (payload.exp ?? 0) - (payload.iat ?? 0) <= 3600
    response
      .writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: `ya29.${generation}`, expires_in: 3599, token_type: 'Bearer' }))
  }

  function sendMessage(received: Received, response: ServerResponse) {
    fake.messages.push(received)
    if (received.headers.authorization !== `Bearer ya29.${generation}`) {
      return fcmError(401, 'UNAUTHENTICATED')(response)
    }
    const message = received.body?.message
    const isRight =
      typeof message?.token === 'string' &&
      Object.values(message.data ?? {}).every((value) => typeof value === 'string') &&
      ['NORMAL', 'HIGH'].includes(message.android?.priority ?? 'NORMAL')
    if (!isRight) return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')(response)
    const respond = fake.responses.shift() ?? fake.always ?? accept
    return respond(response)
  }

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const handle = async () => {
      if (path === '/token') return giveToken(request, response)
      const received = {
        path,
        headers: request.headers,
        body: JSON.parse(await text(request)),
      }
      if (path === '/v1/projects/companion-test/messages:send') return sendMessage(received, response)
      if (path !== '/alim-talk') return void response.writeHead(404).end('<h1>Not here</h1>')
      fake.hooks.push(received)
      return void response.writeHead(fake.hookStatuses.shift() ?? 204).end()
    }
    handle().catch(() => response.writeHead(400).end())
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    fake.origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
    fake.environment = {
      FCM_SERVICE_ACCOUNT: JSON.stringify({
        type: 'service_account',
        project_id: 'companion-test',
        private_key_id: 'key-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: 'sender@companion-test.iam.gserviceaccount.com',
        token_uri: `${fake.origin}/token`,
      }),
      FCM_BASE_URL: fake.origin,
      ALIMTALK_WEBHOOK_URL: `${fake.origin}/alim-talk`,
      ALIMTALK_WEBHOOK_SECRET,
    }
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return fake
}

export const accept: Respond = (response) =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ name: 'projects/companion-test/messages/1' }))
