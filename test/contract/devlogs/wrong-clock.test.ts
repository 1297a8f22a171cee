import { beforeAll, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })

let device: string
beforeAll(async () => {
  device = (await addChild(server, (await signUp(server)).token)).unique_id
})

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)

test.each(['1970-01-01T00:00:10', '2014-12-31T23:59:59.999999', '9999-12-31T00:00:00', inHours(48.1)])(
  'a night of %s is the issue of a clock, and nothing is stored',
  async (treatment_date) => {
    const { status, body } = await upload(server, [devlogItem(device, treatment_date)])
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            type: 'clock',
            loc: ['body', '0', 'detail_data', 'treatment_date'],
            msg: 'must lie between 2015-01-01 and 48 hours from now',
            url: `${server.url}/docs/errors#clock`,
          },
        ],
      },
    })
  },
)

test('a date that is none keeps its type', async () => {
  const { body } = await upload(server, [devlogItem(device, '2026-02-29T21:30:00')])
  expect(body.detail).toMatchObject([{ type: 'invalid' }])
})

test('a device whose clock has stopped takes the time, corrects its records and loses none', async () => {
  const record = { log_file_id: 7, treatment_time: 720 }
  const sent = Date.parse('1970-01-01T00:12:00Z')
  expect((await upload(server, [devlogItem(device, '1970-01-01T00:00:00', record)])).status).toBe(422)

  const { body: time } = await server.get('/api/v1/gamma/device/time')
  const local = Date.parse(time.utc) + time.utc_offset_minutes * 60_000
  const corrected = new Date(local - sent).toISOString().slice(0, 19)
  expect((await upload(server, [devlogItem(device, corrected, record)])).status).toBe(200)

  const { body } = await server.get('/api/v1/gamma/device/detail', {
    query: { unique_id: device, event_date: corrected.slice(0, 10) },
  })
  expect(body.treatment_data).toMatchObject([{ treatment_date: corrected, treatment_time: 720 }])
})
