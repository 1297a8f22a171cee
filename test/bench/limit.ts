/*
 * The limit: a bare `node:http` server runs the same SQL on the same driver, and checks no token, validates no input and
 * writes no log. No server of this stack can be faster, unless it stores uploads together.
 */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { parse } from 'node:querystring'
import { text as textOf } from 'node:stream/consumers'
import { openDatabase } from '@companion/server/database/database.ts'
import { batchedRead } from '@companion/server/database/batched-read.ts'
import { statement } from '@companion/server/database/statement.ts'

const database = await openDatabase(process.env['DATABASE_URL'] ?? '', { pool: 10 })

const subject = ({ headers }: IncomingMessage) =>
  Number(JSON.parse(Buffer.from(headers.authorization?.split('.')[1] ?? '', 'base64url').toString()).sub)

const ME = batchedRead('me', ['int'], 'SELECT * FROM root_user WHERE id = $1')
const CHART = batchedRead(
  'chart',
  ['int', 'date'],
  `SELECT to_char(treatment_date, 'YYYY-MM-DD') AS date, sum(treatment_time)::float8,
    round(avg(last_intensity), 1)::float8, sum(movement)::float8
  FROM treatment WHERE real_user_id = $1 AND deleted_at IS NULL
    AND treatment_date > $2::date - 30 AND treatment_date < $2::date + 1 GROUP BY 1 ORDER BY 1`,
)
const CALENDAR = batchedRead(
  'calendar',
  ['int', 'date'],
  `SELECT date, max(log), max(event) FROM (
    SELECT treatment_date::date AS date, 1 AS log, 0 AS event FROM treatment WHERE real_user_id = $1
      AND deleted_at IS NULL AND treatment_date >= $2::date AND treatment_date < $2::date + interval '1 month'
    UNION ALL SELECT event_date, 0, 1 FROM event
    WHERE real_user_id = $1 AND event_date >= $2::date AND event_date < $2::date + interval '1 month') x
  GROUP BY 1 ORDER BY 1`,
)
const INGEST = statement(
  'ingest',
  `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id,
    last_intensity, finish_flag, intensity_record)
  SELECT d.id, d.real_user_id, date, 3600, file, 9, 1, '{0,1,2,3,4,5,6,7,8,9}'
  FROM unnest($1::uuid[], $2::timestamp[], $3::int[]) AS i (id, date, file)
  CROSS JOIN LATERAL (SELECT * FROM device WHERE unique_id = i.id LIMIT 1) d ON CONFLICT DO NOTHING`,
)
const EXPORT = statement(
  'export',
  `SELECT t.* FROM device d JOIN treatment t ON t.device_id = d.id
  WHERE d.unique_id = $1 AND deleted_at IS NULL AND treatment_date >= $2::date AND treatment_date < $3::date + 1`,
)

async function answer(request: IncomingMessage): Promise<unknown> {
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const query = parse(search)
  if (path.endsWith('/me')) return database.query(ME, [subject(request)])
  if (path.endsWith('/recent')) return database.query(CHART, [query['real_user_id'], query['current_date']])
  if (path.endsWith('/history')) {
    const month = `${String(query['year'])}-${String(query['select_data'])}-01`
    return database.query(CALENDAR, [query['real_user_id'], month])
  }
  if (path.endsWith('/export')) {
    return database.query(EXPORT, [query['unique_id'], query['start_date'], query['end_date']])
  }
  // The other operations have no limit to be compared with.
  if (request.method === 'GET') return {}
  const items: { unique_id: string; log_file_id: number; detail_data: { treatment_date: string } }[] =
    JSON.parse(await textOf(request))
  return database.query(INGEST, [
    items.map(({ unique_id }) => unique_id),
    items.map(({ detail_data }) => detail_data.treatment_date),
    items.map(({ log_file_id }) => log_file_id),
  ])
}

const server = createServer((request, response) => {
  answer(request).then(
    (found) => response.end(JSON.stringify(found)),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      response.writeHead(500).end()
    },
  )
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.send?.(address.port)
})
process.once('SIGTERM', () => process.exit(0))
