import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { countSilentDevices } from '@companion/server/devices/silent-devices.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addChild, addDevice, devlogItem, signIn, signUp, smsCode, upload } from '../support/family.ts'
import { startServer, TEST_SECRET, useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer({ SERVICE_TIME_ZONE: 'UTC' })

/** The value of a series, such as `companion_requests_total{operation="charts.recent",status="200"}`; 0 before its first. */
async function value(series: string): Promise<number> {
  const { body } = await server.get('/metrics')
  const line = String(body)
    .split('\n')
    .find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}

/** Runs `act`; the result tells by how much each of `series` has risen since. */
async function riseOf(series: string[], act: () => Promise<unknown>): Promise<() => Promise<number[]>> {
  const before = await Promise.all(series.map(value))
  await act()
  // A response is counted when its connection says that it is out: a test asks until it is.
  return async () => (await Promise.all(series.map(value))).map((after, n) => after - (before[n] ?? 0))
}

const anHourAgo = (hours = 1) => new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 19)

test('requests are counted by operation and status, over REST and tRPC, with what has no operation as one', async () => {
  const series = (operation: string, status: number) =>
    `companion_requests_total{operation="${operation}",status="${status}"}`
  const expected = {
    [series('account.me', 401)]: 2,
    [series('none', 404)]: 2,
    [series('auth.refresh', 422)]: 1,
    'companion_request_duration_seconds_count{operation="account.me"}': 2,
  }
  const rise = await riseOf(Object.keys(expected), async () => {
    await server.get('/api/v1/beta/user/me')
    await server.get('/trpc/account.me')
    await server.get('/trpc/parent@example.com')
    await server.get('/parent@example.com')
    await server.post('/api/v1/alpha/auth/refresh-token', { json: {} })
  })
  await expect.poll(rise).toEqual(Object.values(expected))
})

test('records are counted by their verdict, and new ones by how late they came', async () => {
  const parent = await signUp(server)
  const device = (await addChild(server, parent.token)).unique_id
  const unconnected = (await addDevice(server)).unique_id
  const verdict = (name: string) => `companion_devlog_records_total{verdict="${name}"}`
  const lag = (most: string) => `companion_devlog_upload_delay_seconds_bucket{le="${most}"}`
  const item = (hours: number, more = {}) =>
    devlogItem(device, anHourAgo(hours), { treatment_time: 60, ...more })
  const temporary = item(2, { log_file_id: 2, is_temp: true })
  // Made once: a second later the same call makes another record.
  const [repeated, twice] = [item(1), item(4)]
  const act = async () => {
    await upload(server, [repeated, temporary])
    await upload(server, [repeated, { ...temporary, is_temp: false }])
    // Complete records alone take another way, and count as these do.
    await upload(server, [twice, item(5), twice])
    // Refused as a whole: only the record that is to blame counts.
    await upload(server, [item(3), devlogItem(randomUUID(), anHourAgo())])
    const items = [devlogItem(unconnected, anHourAgo()), item(48), null]
    await upload(server, items, { prefer: 'handling=lenient' })
  }
  const expected = {
    [verdict('stored')]: 5,
    [verdict('duplicate')]: 2,
    [verdict('completed')]: 1,
    [verdict('unknown')]: 1,
    [verdict('unconnected')]: 1,
    [verdict('invalid')]: 1,
    [lag('600')]: 0,
    [lag('21600')]: 5,
    [lag('+Inf')]: 6,
  }
  const rise = await riseOf(Object.keys(expected), act)
  await expect.poll(rise).toEqual(Object.values(expected))
})

test('records with a wrong clock are counted, however they are sent, and those that ended without contact', async () => {
  const { unique_id } = await addChild(server, (await signUp(server)).token)
  const wrong = devlogItem(unique_id, '1970-01-01T00:00:00')
  // Made once: a second later the same call makes another record.
  const at = anHourAgo(2)
  const issue = (log_file_id: number) => devlogItem(unique_id, at, { log_file_id, finish_flag: '4' })
  const series = ['companion_wrong_clock_records_total', 'companion_electrode_contact_losses_total']
  const rise = await riseOf(series, async () => {
    await upload(server, [wrong, issue(1), { ...wrong, log_file_id: 2 }])
    await upload(server, [{ ...wrong, log_file_id: -1 }, issue(1), issue(2)], { prefer: 'handling=lenient' })
    await upload(server, [issue(1)])
  })
  await expect.poll(rise).toEqual([3, 2])
})

test('codes sent and verified, sign-ins and refresh errors are counted with their cause', async () => {
  const event = (action: string, reason = '') =>
    `companion_security_events_total{action="${action}",reason="${reason}"}`
  const expected = {
    [event('code_send')]: 2,
    [event('code_verify')]: 1,
    [event('code_verify_refused', '400 Validation code is invalid')]: 1,
    [event('sign_in')]: 1,
    [event('refresh_refused', '401 Refresh token is not valid')]: 1,
    [event('refresh_refused', '401 Could not validate credentials')]: 1,
  }
  const rise = await riseOf(Object.keys(expected), async () => {
    const parent = await signUp(server)
    const phone = '+821099998888'
    const code = await smsCode(server, phone)
    const validnum = code === '000000' ? '000001' : '000000'
    await server.post('/api/v1/alpha/auth/phone-number-validation', { json: { phone, validnum } })
    await signIn(server, parent.email)
    for (const refresh_token of [parent.refreshToken, 'garbage']) {
      await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token } })
    }
  })
  await expect.poll(rise).toEqual(Object.values(expected))
})

test('a device is silent when a child should be wearing it and no treatment came for days', async () => {
  const { database } = server
  const parent = await signUp(server)
  const before = await countSilentDevices(database)
  const [silent, heard, fresh] = [
    await addChild(server, parent.token),
    await addChild(server, parent.token),
    await addChild(server, parent.token),
  ]
  await addDevice(server)
  await database.pool.query(
    "UPDATE device SET connected_at = now() - interval '4 days' WHERE id <> $1 AND id = ANY ($2)",
    [fresh.device_id, [silent.device_id, heard.device_id]],
  )
  await upload(server, [
    devlogItem(heard.unique_id, anHourAgo(24)),
    devlogItem(silent.unique_id, anHourAgo(96), { log_file_id: 7 }),
  ])
  expect(await countSilentDevices(database)).toBe(before + 1)
  // Two of the one firmware, one each of 30 others.
  await database.pool.query(
    `INSERT INTO device (unique_id, serial_code, mac_id, device_alias, real_user_id, connected_at, now_firmware_id)
     SELECT gen_random_uuid(), 'QUIET-' || n, '0000', '', $1, now() - interval '4 days', greatest(n, 41)
     FROM generate_series(40, 71) n`,
    [silent.real_user_id],
  )
  const counting = await startServer({}, server.databaseUrl)
  try {
    const told = async () => String((await counting.get('/metrics')).body)
    await expect.poll(told).toContain('companion_silent_devices_by_firmware{firmware="41"} 2\n')
    const named = (await told()).matchAll(
      /^companion_silent_devices_by_firmware\{firmware="(\w+)"\} (\d+)$/gm,
    )
    const counts = [...named].map(([, firmware, count]) => ({ firmware, count: Number(count) }))
    expect(counts).toHaveLength(21)
    expect(counts.at(-1)?.firmware).toBe('other')
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(await countSilentDevices(database))
  } finally {
    await counting.stop()
  }
  // Counted in the background when it is asked for.
  await expect.poll(() => value('companion_silent_devices')).not.toBeNaN()
})

test('the pool, the event loop and the process are measured', async () => {
  expect(await value('companion_database_pending_requests')).toBe(0)
  expect(await value('companion_database_connections{state="idle"}')).toBeGreaterThan(0)
  expect(await value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
  expect(await value('process_resident_memory_bytes')).toBeGreaterThan(0)
})

test('who waits for a connection is timed, who finds one idle is not', async () => {
  const narrow = await startServer({ DATABASE_POOL: '1' })
  try {
    const { database } = narrow
    const waits = async () => {
      const { body } = await narrow.get('/metrics')
      const counts = String(body).matchAll(
        /^companion_database_wait_seconds_(?:bucket\{le="0.25"\}|count) (\d+)$/gm,
      )
      return [...counts].map(([, count]) => Number(count))
    }
    // Counts silent devices in the background.
    expect(await waits()).toHaveLength(2)
    await expect
      .poll(async () => String((await narrow.get('/metrics')).body))
      .toMatch(/^companion_silent_devices \d/m)
    await until(() => database.pool.idleCount === 1 && database.pool.waitingCount === 0)
    // No gauge asks the database again, which it does a minute after the last time.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => now.mockRestore())
    const [short, all = 0] = await waits()
    await database.isReady()
    const holder = await database.pool.connect()
    expect(await waits()).toEqual([short, all])
    const waiting = [database.isReady(), database.sql.selectFrom('device').select('id').limit(0).execute()]
    await holder.query('SELECT pg_sleep(0.3)')
    holder.release()
    expect(await Promise.all(waiting)).toEqual([true, []])
    expect(await waits()).toEqual([short, all + 2])
  } finally {
    await narrow.stop()
  }
})

test('nothing that names a person or a device is in the metrics', async () => {
  const parent = await signUp(server)
  const child = await addChild(server, parent.token)
  await server.get(`/trpc/${parent.email}`)
  await server.get('/api/v1/gamma/device/history', { query: { unique_id: child.unique_id } })
  const { body } = await server.get('/metrics')
  for (const secret of [parent.email, parent.phone, child.unique_id, child.serial_code, '127.0.0.1']) {
    expect(String(body)).not.toContain(secret)
  }
})

test('with METRICS_TOKEN only its bearer reads them', async () => {
  const token = 'what Prometheus knows and nobody else does'
  const guarded = await startServer({ METRICS_TOKEN: token })
  expect((await guarded.get('/metrics')).status).toBe(401)
  expect((await guarded.get('/metrics', { token: 'x' })).status).toBe(401)
  expect((await guarded.get('/metrics', { token })).status).toBe(200)
  await guarded.stop()
})

test.each(['grafana-dashboard.json', 'alerts.yml'])('%s speaks only of what is measured', async (file) => {
  const text = await readFile(new URL(`../../docs/operations/${file}`, import.meta.url), 'utf8')
  // Work beside requests has metrics too.
  await closeBlocks(server.database, deriveKeys(TEST_SECRET))
  const { body } = await server.get('/metrics')
  const shown = text.match(/\b(companion|nodejs|process)_\w+(?=[{[)]| offset)/g) ?? []
  expect(shown.length).toBeGreaterThan(10)
  const measured = new Set(
    shown.map((name) =>
      String(body).includes(`# TYPE ${name.replace(/_(bucket|count)$/, '')} `) ? '' : name,
    ),
  )
  expect([...measured]).toEqual([''])
})

test('the page for operators names each alert, and lines of the log as the code writes them', async () => {
  const page = (name: string) => readFile(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8')
  const [rules, running] = await Promise.all([page('alerts.yml'), page('running.md')])
  const rule =
    /- alert: (\w+)\n(?:(?!\n {6}-)[^])*?severity: (?:page|ticket)\n[^]*?summary: .+\n\s+description: ['"](.*)['"]/g
  const alerts = Array.from(rules.matchAll(rule), ([, name, text]) => [name, text])
  const rows = Array.from(
    running.matchAll(/^\| ([A-Z][a-z]+[A-Z]\w+) +\| (.*?) +\|$/gm),
    ([, name, text = '']) => [name, text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')],
  )
  expect(rows).toEqual(alerts)

  const places = running.match(/^Watch these lines of the log:[^.]*\.|^\|.*\blines? `.*of the log/gm) ?? []
  const lines = places.flatMap((place) =>
    Array.from(place.matchAll(/`([A-Za-z ,:]+)`/g), ([, line]) => line ?? ''),
  )
  expect(lines.length).toBeGreaterThan(8)
  const files = globSync('**/*.ts', { cwd: new URL('../../server/src/', import.meta.url) })
  const code = files
    .map((file) => readFileSync(new URL(`../../server/src/${file}`, import.meta.url), 'utf8'))
    .join()
  // The queues of alerts and webhooks write the same lines, each with its name.
  const isWritten = (line: string) =>
    code.includes(`'${line}'`) || code.includes(`\`${line.replace(/^(alert|webhook)/, '${name}')}\``)
  expect(lines.filter((line) => line !== 'attempts' && !isWritten(line))).toEqual([])
})

test('the age of the oldest open transaction is told', async () => {
  const own = await startServer()
  const client = await own.database.pool.connect()
  try {
    await client.query('BEGIN')
    await expect
      .poll(async () =>
        Number(
          /^companion_oldest_transaction_seconds (.*)$/m.exec(String((await own.get('/metrics')).body))?.[1],
        ),
      )
      .toBeGreaterThan(0)
  } finally {
    client.release(true)
    await own.stop()
  }
})

test('how far the worker that judges evenings is behind is told', async () => {
  const own = await startServer()
  try {
    const parent = await signUp(own)
    const { real_user_id } = await addChild(own, parent.token)
    const late = async () => {
      const { body } = await own.get('/metrics')
      return Number(/^companion_nights_late_seconds (.*)$/m.exec(String(body))?.[1])
    }
    await own.database.pool.query(
      `INSERT INTO night_watch VALUES ($1, $2, 'bedtime', now()::date, now() - interval '1 hour')`,
      [real_user_id, parent.id],
    )
    await expect.poll(late).toBeGreaterThanOrEqual(3600)
  } finally {
    await own.stop()
  }
})
