import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { webhookSecrets } from '@companion/server/webhooks/webhook.ts'
import { hasEnded } from '../support/child-process.ts'
import { changes, settled } from '../support/changes.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { PROCESS_ENVIRONMENT } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { serviceFor, startRinging, webhooks } from '../support/webhooks.ts'

const server = useServer()
const MINUTE = 60_000

const PROGRAMS = [
  { language: 'TypeScript', command: process.execPath, script: 'src/back-end.ts' },
  { language: 'Python', command: 'python3', script: 'back_end.py' },
]

async function makeService() {
  const parent = await signUp(server)
  const child = await addChild(server, parent.token)
  const made = await serviceFor(server, parent, [child.real_user_id], 'child:read usage:read')
  await settled(server)
  const cursorOfNow = async () => (await changes(server, made.own, { after: 'latest' })).body.next as string
  return { ...made, parent, child, cursorOfNow }
}

interface Line {
  webhook?: number
  children?: number[]
  changes?: { kind: string; id: number }[]
  cursor?: string
}

/** Starts a program as the back end of `service`, until the test is over. */
function start(
  { command, script }: (typeof PROGRAMS)[number],
  { service }: Pick<Awaited<ReturnType<typeof makeService>>, 'service'>,
  ...args: string[]
) {
  const path = fileURLToPath(new URL(`../../examples/third-party/${script}`, import.meta.url))
  const child = spawn(command, [path, ...args], {
    env: {
      ...PROCESS_ENVIRONMENT,
      COMPANION_URL: server.url,
      COMPANION_CLIENT_ID: service.client_id,
      COMPANION_CLIENT_SECRET: service.client_secret,
      WEBHOOK_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: Line[] = []
  let stderr = ''
  child.stderr.on('data', (chunk) => void (stderr += String(chunk)))
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const line = (matches: (line: Line) => boolean) =>
    until(() => {
      if (hasEnded(child)) throw new Error(`The program has ended: ${stderr}`)
      return lines.find(matches)
    })
  return {
    lines,
    line,
    /** Waits until the program has told of a change of this kind. */
    told: (kind: string) => line((each) => each.changes?.some((change) => change.kind === kind) ?? false),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await closed
      return { code, stderr }
    },
  }
}

describe.for(PROGRAMS)('a back end with $language', (program) => {
  beforeEach(({ skip }) => {
    const isMissing = spawnSync(program.command, ['--version']).status !== 0
    if (process.env['CI'] !== 'true') skip(isMissing, `without ${program.command}`)
    const worker = startRinging(server)
    onTestFinished(() => worker.stop())
  })

  test('is told of changes, takes no message that is not signed or too old, and leaves', async () => {
    const service = await makeService()
    const { own, parent, child } = service
    const running = start(program, service)
    await running.line((line) => line.children?.[0] === child.real_user_id)
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
    await running.told('treatment.stored')

    const { rows } = await server.database.pool.query<{ url: string; salt: Buffer }>(
      'SELECT url, salt FROM webhook ORDER BY id DESC LIMIT 1',
    )
    const [{ url, salt } = { url: '', salt: Buffer.alloc(0) }] = rows
    const secret = webhookSecrets(deriveKeys(TEST_SECRET, server.config))(salt)
    const body = JSON.stringify({ type: 'changes.available', timestamp: '', data: { cursor: '' } })
    const send = async (signer: string, { sent = body, signed = body, ago = 0 } = {}) => {
      const at = new Date(Date.now() - ago)
      const headers = {
        'webhook-id': 'message',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,c2hvcnQ= ${new Webhook(signer).sign('message', at, signed)}`,
      }
      return (await fetch(url, { method: 'POST', headers, body: sent })).status
    }
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`
    expect({
      genuine: await send(secret),
      repeated: await send(secret),
      byAnother: await send(other),
      changed: await send(secret, { sent: body.replace('cursor', 'curser') }),
      old: await send(secret, { ago: 6 * MINUTE }),
      early: await send(secret, { ago: -6 * MINUTE }),
      bare: (await fetch(url, { method: 'POST', body })).status,
      challenge: await send(other, { sent: '{"type":"webhook.verify","data":{"challenge":"x"}}' }),
      large: await send(secret, { sent: body.padEnd(10_001), signed: body.padEnd(10_001) }),
      senseless: await send(secret, { sent: '{', signed: '{' }),
    }).toEqual({
      genuine: 204,
      repeated: 204,
      byAnother: 401,
      changed: 401,
      old: 401,
      early: 401,
      bare: 401,
      challenge: 401,
      large: 413,
      senseless: expect.toBeOneOf([400, 401]),
    })

    const [grant] = (await server.get('/api/v1/beta/grant', { token: parent.token })).body
    await server.delete(`/api/v1/beta/grant/${grant.grant_id}`, { token: parent.token })
    await running.told('grant.ended')
    const ids = running.lines.flatMap((line) => (line.changes ?? []).map(({ kind, id }) => `${kind} ${id}`))
    expect(new Set(ids).size).toBe(ids.length)
    expect((await webhooks(server, own).list()).body).toHaveLength(1)
    expect(await running.stop()).toEqual({ code: 0, stderr: '' })
    expect((await webhooks(server, own).list()).body).toEqual([])
  })

  test('goes on from the cursor of an earlier run, and reads everything if it is too old', async () => {
    const service = await makeService()
    const { child } = service
    const cursor = await service.cursorOfNow()
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
    await settled(server)
    const later = start(program, service, cursor)
    await later.told('treatment.stored')
    expect(later.lines.some(({ children }) => children)).toBe(false)
    expect((await later.stop()).code).toBe(0)

    // As the purge leaves it.
    await server.database.pool.query(
      'UPDATE feed SET purged_xact_id = (SELECT max(xact_id) FROM change), purged_id = (SELECT max(id) FROM change)',
    )
    const late = start(program, service, cursor)
    expect(await late.line((line) => line.children !== undefined)).toMatchObject({
      children: [child.real_user_id],
    })
    await upload(server, [devlogItem(child.unique_id, '2026-03-02T21:00:00', { log_file_id: 2 })])
    await late.told('treatment.stored')
    expect((await late.stop()).code).toBe(0)
  })
})
