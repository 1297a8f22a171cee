import type { BenchData } from './load.ts'

export const LAST_DAY = process.env['LAST_DAY'] ?? '2026-03-01'

export interface Ask {
  path: string
  token?: string
  body?: string
}

const anyOf = <Value>(values: readonly Value[]): Value => {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new RangeError('Nothing to choose from')
  return value
}
const daysBefore = (days: number) =>
  new Date(Date.parse(LAST_DAY) - days * 86_400_000).toISOString().slice(0, 10)

/** Devices send the night that is just over: uploads have dates after those that are stored. */
let clock = Date.parse(LAST_DAY) + 86_400_000
/**
 * Devices number their logs: each upload raises the highest number of its device. Another run begins with another number, and
 * so sends no record again.
 */
let logFile = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000)
const item = (unique_id: string) => ({
  unique_id,
  detail_data: {
    treatment_date: new Date((clock += 1000)).toISOString().slice(0, 19),
    finish_flag: '1',
    last_intensity: 9,
    treatment_time: 3600,
  },
  intensity_record: Array.from({ length: 10 }, (_, n) => ({ intensity: n })),
  log_file_id: (logFile += 1),
})

let measuredUntil = Date.UTC(2016, 0, 1)
const hourOf = (unique_id: string) =>
  Array.from({ length: 6 }, () => ({
    unique_id,
    measured_at: new Date((measuredUntil += 600_000)).toISOString().slice(0, 19),
    temperature: 21,
    humidity: 45,
    brightness: 3,
    noise: 30,
  }))

/** Makes one request about a random part of the data that `load` has stored. */
export type Workload = (data: BenchData) => Ask

const newUpload: Workload = ({ uniqueId }) => ({
  path: '/api/v1/gamma/device/devlog',
  body: JSON.stringify(Array.from({ length: 10 }, () => item(anyOf(uniqueId)))),
})
/** What a device sends in the morning. */
const night: Workload = ({ uniqueId }) => ({
  path: '/api/v1/gamma/device/devlog',
  body: JSON.stringify([item(anyOf(uniqueId))]),
})
/** Uploads that the database of these data has been sent. */
const sentTo = new WeakMap<BenchData, Ask[]>()

const chartOf = (token: string, realUserId: number): Ask => {
  const day = daysBefore(Math.floor(Math.random() * 365))
  return {
    path: `/api/v1/beta/chart/recent?real_user_id=${realUserId}&select_mode=1&current_date=${day}`,
    token,
  }
}

/** The most important operations. */
export const workloads: Record<string, Workload> = {
  me: ({ accounts }) => ({ path: '/api/v1/beta/user/me', token: anyOf(accounts).token }),
  chart({ accounts }) {
    const { token, realUserId } = anyOf(accounts)
    return chartOf(token, anyOf(realUserId))
  },
  /** The same by members; against an older checkout, whose data have none, by owners there. */
  member({ accounts }) {
    const { token, realUserId, shared = realUserId } = anyOf(accounts)
    return chartOf(token, anyOf(shared))
  },
  calendar({ accounts }) {
    const { token, realUserId } = anyOf(accounts)
    const [year, month] = daysBefore(Math.floor(Math.random() * 365))
      .split('-')
      .map(Number)
    return {
      path: `/api/v1/beta/event/history?real_user_id=${anyOf(realUserId)}&select_mode=1&year=${year}&select_data=${month}`,
      token,
    }
  },
  /** How the nights of a child go, with a plan that a third of the weeks miss. */
  insight({ accounts }) {
    const { token, realUserId } = anyOf(accounts)
    const day = daysBefore(Math.floor(Math.random() * 365))
    return { path: `/api/v1/beta/insight?real_user_id=${anyOf(realUserId)}&current_date=${day}`, token }
  },
  /** A page of the list of a clinic, which `load` makes with `CLINIC=on`. */
  clinic({ clinic }) {
    if (!clinic) throw new RangeError('No clinic: set CLINIC=on')
    const sort = anyOf(['flags', 'last_night', 'since', 'name'])
    return { path: `/api/v1/beta/clinic/${clinic.id}/child?sort=${sort}&limit=50`, token: clinic.token }
  },
  ingest: newUpload,
  /** An hour of a base station, whose number is that of a device. */
  readings: ({ uniqueId }) => ({
    path: '/api/v1/gamma/basestation/environment',
    body: JSON.stringify(hourOf(anyOf(uniqueId))),
  }),
  night,
  // Of which 5 % were sent before, as by devices that did not get their response.
  retries(data) {
    const sent = sentTo.get(data) ?? []
    sentTo.set(data, sent)
    if (sent.length > 0 && Math.random() < 0.05) return anyOf(sent)
    const upload = newUpload(data)
    sent.push(upload)
    if (sent.length > 200) sent.shift()
    return upload
  },
  export: ({ uniqueId }) => ({
    path: `/api/v1/gamma/device/export?unique_id=${anyOf(uniqueId)}&start_date=${daysBefore(499)}&end_date=${LAST_DAY}`,
  }),
}
