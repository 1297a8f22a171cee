import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { listRejected, retryRejected } from '@companion/server/devices/rejected-devlogs.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { liveRecords } from '../support/treatments.ts'

const server = useServer()
let child: Awaited<ReturnType<typeof addChild>>
const NIGHT = '2026-03-01T21:30:00'
const unknown = randomUUID()

beforeAll(async () => {
  child = await addChild(server, (await signUp(server)).token)
  await upload(
    server,
    [
      devlogItem(child.unique_id, '1970-01-01T00:00'),
      devlogItem(unknown, NIGHT),
      devlogItem(child.unique_id, NIGHT, { log_file_id: 7 }),
    ],
    { prefer: 'handling=lenient' },
  )
})

const rejected = (...args: string[]) => companion(server, 'devlog', 'rejected', ...args)

test('list, show, retry and drop', async () => {
  const items = await listRejected(server.database)
  expect(items).toHaveLength(2)
  const early = items.find(({ content }) => content.includes('1970'))
  const foreign = items.find(({ content }) => content.includes(unknown))
  expect(early?.reason).toMatch(/^detail_data\.treatment_date: must lie between 2015-01-01/)
  expect(foreign).toMatchObject({ reason: 'Not Found Device', address: expect.stringContaining('127.0.0.1') })
  const [first = 0, second = 0] = [early, foreign].map((item) => Number(item?.id))
  const list = async () => JSON.parse((await rejected('list', '--json')).out)
  expect(await list()).toContainEqual(expect.objectContaining({ id: second, reason: 'Not Found Device' }))
  const shown = await rejected('show', String(second), '--json')
  expect(JSON.parse(shown.out)).toMatchObject({ id: second, content: { unique_id: unknown } })

  const retried = await retryRejected(server.database)
  expect(retried).toHaveLength(2)
  expect(retried).toContainEqual({ id: first, status: 'rejected', detail: early?.reason })
  expect(retried).toContainEqual({ id: second, status: 'rejected', detail: 'Not Found Device' })
  // The device turns out to be one that had not been registered yet.
  await server.database.pool.query('UPDATE device SET unique_id = $1 WHERE id = $2', [
    unknown,
    child.device_id,
  ])
  expect(JSON.parse((await rejected('retry', String(second), '--json')).out)).toEqual([
    { id: second, status: 'stored' },
  ])
  expect(await liveRecords(server, unknown)).toEqual([`${NIGHT} #1 720s`, `${NIGHT} #7 720s`])

  expect(await rejected('drop', String(first))).toMatchObject({ code: 0, out: `${first} dropped\n` })
  expect(await listRejected(server.database)).toEqual([])
  expect(await rejected('show', String(first))).toMatchObject({
    code: 1,
    out: '',
    said: 'There is no rejected item with this id\n',
  })
}, 120_000)
