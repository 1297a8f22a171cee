import { createCompanion } from '@companion/sdk'
import { openWire } from './wire.ts'

/*
 * Runs in an engine: what the parents' app computes for a child, from its own modules and the packed SDK, against a service.
 */

type Module = Record<string, (...parameters: unknown[]) => unknown>

/** Offers the day to the test. `modules` are those of the app that draw nothing, by their path in `src`. */
export function offerDay(modules: Record<string, Module>): void {
  const wire = openWire((line) => globalThis.tellHost(line))
  globalThis.hearHost = (line) => wire.receive(line)
  const use = (path: string, name: string, ...parameters: unknown[]): unknown => {
    const given = modules[path]?.[name]
    if (!given) throw new Error(`The app has no ${name} in ${path}`)
    return given(...parameters)
  }
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

  wire.offer(async (baseUrl, username, password, today) => {
    const companion = createCompanion({ baseUrl: String(baseUrl) })
    await companion.auth.signIn({ username: String(username), password: String(password) })
    const devices = await companion.devices.list()
    const children = await companion.children.list()
    const days = children.map(async ({ id: real_user_id }) => {
      const period = { real_user_id, start_date: use('time/dates', 'addDays', today, -119), end_date: today }
      const { signal } = new AbortController()
      const records = list(await use('nights/record', 'readRecords', companion, period, signal))
      const nights = list(use('nights/night', 'nightsOf', records))
      const chart = await companion.charts.recent({ real_user_id, current_date: String(today) })
      return {
        records: records.length,
        nights: nights.map((night) => ({
          span: use('nights/night', 'spanOf', night),
          seconds: use('nights/night', 'usageSecondsOf', night),
          losses: use('nights/night', 'lossesOf', night),
          comparison: use(
            'nights/insight',
            'compareNightLength',
            Number(use('nights/night', 'usageSecondsOf', night)) / 60,
            400,
          ),
          strip: use('nights/strip', 'nightTimeline', night),
        })),
        uploads: use('nights/uploads', 'summarizeUploads', devices, real_user_id),
        chart: use('charts/join-charts', 'joinCharts', [chart]),
      }
    })
    const grid = use('calendar/month-grid', 'monthGrid', { year: 2026, month: 11 })
    const mood = use(
      'calendar/mood',
      'splitMoodFromMemo',
      use('calendar/mood', 'memoWithMood', 'good', '좋은 밤'),
    )
    return { modules: Object.keys(modules), children: await Promise.all(days), grid, mood }
  })
}
