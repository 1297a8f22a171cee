/*
 * Compares the report and the spreadsheet of a year with those of another checkout of this project, each on a service and a
 * database of its own: a child with a use in each of 366 nights, 70 notes, 13 surveys and a base station that measures
 * three times an hour at night. The rounds alternate; prints the medians of processor time and of time for each file, the
 * most memory that the services have used, and the ratios. More than 1.5 times the time of the report of 7c24e3c is too
 * much, and any more than the time and memory of its spreadsheet.
 *
 *   node test/bench/report-year.ts --against ../companion-before [--files 5] [--rounds 5]
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeNights } from '@companion/device-simulator'
import { sessionResponseSchema } from '@companion/server/auth/tokens/token-response.ts'
import { DEMO_EMAIL, DEMO_PASSWORD, demoDevice } from '@companion/server/demo/family.ts'
import { addDays } from '@companion/server/time/wall-clock.ts'
import { get, HERE, startEmbeddedService } from './embedded-service.ts'
import { median } from './measure.ts'
import { processorTime, residentMemory } from './process.ts'

const LAST = '2025-11-30'
const dates = Array.from({ length: 366 }, (_, day) => addDays(LAST, day - 365))
const MEMO = '새벽에 전극을 다시 붙였습니다. '.repeat(8)

interface Candidate {
  name: string
  pid: number
  stop: () => Promise<void>
  token: string
  files: Record<'report' | 'spreadsheet', string>
}

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    files: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
  },
})
const files = Number(options.files)
/** So many are made together; a device may not ask for more spreadsheets. */
const together = { report: 10, spreadsheet: 2 }
const checkouts = [...(options.against === undefined ? [] : [resolve(options.against)]), HERE]
// Each kind on services of its own, because the most memory is that of the whole life of a service.
for (const kind of ['spreadsheet', 'report'] as const) await compare(kind)

async function compare(kind: keyof Candidate['files']): Promise<void> {
  const candidates: Candidate[] = []
  try {
    for (const name of checkouts) {
      const service = await startEmbeddedService({}, { checkout: name, options: ['--demo'] })
      candidates.push({
        name,
        pid: service.pid,
        stop: () => service.stop(),
        ...(await addYear(service.url)),
      })
    }
    const measured = candidates.map((candidate) => ({
      ...candidate,
      address: candidate.files[kind],
      cpu: new Array<number>(),
      elapsed: new Array<number>(),
    }))
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      for (const { pid, address, token, cpu, elapsed } of measured) {
        const before = await processorTime([pid])
        const started = performance.now()
        for (let n = 0; n < files; n += 1) await get(address, token)
        // In the first round the threads start and the code is compiled.
        if (round === 0) continue
        elapsed.push((performance.now() - started) / files)
        cpu.push(((await processorTime([pid])) - before) / 1000 / files)
      }
    }
    const rows: Record<string, number>[] = []
    for (const { name, pid, address, token, cpu, elapsed } of measured) {
      const alone = await residentMemory(pid, 'VmHWM')
      const [size = 0] = await Promise.all(Array.from({ length: together[kind] }, () => get(address, token)))
      const row = {
        'ms of processor time': median(cpu),
        ms: median(elapsed),
        kB: size / 1000,
        'MiB at most': alone,
        'MiB with several at once': await residentMemory(pid, 'VmHWM'),
      }
      rows.push(row)
      process.stdout.write(`${kind}, ${name}: ${figures(row, 0)}\n`)
    }
    const [before, now] = rows
    if (!before || !now) return
    const ratios = Object.entries(now).map(([what, value]) => [what, value / (before[what] ?? NaN)] as const)
    process.stdout.write(`${kind}, ratios: ${figures(Object.fromEntries(ratios), 2)}\n`)
  } finally {
    for (const { stop } of candidates) await stop()
  }
}

function figures(row: Record<string, number>, digits: number): string {
  return Object.entries(row)
    .map(([what, value]) => `${value.toFixed(digits)} ${what}`)
    .join(', ')
}

/** Gives the demo family a third child with a year of data. Returns the addresses of what is measured. */
async function addYear(url: string): Promise<Pick<Candidate, 'files' | 'token'>> {
  const signedIn = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: DEMO_EMAIL, password: DEMO_PASSWORD }),
  })
  const { access_token: token } = sessionResponseSchema.parse(await signedIn.json())
  const call = async (path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return response.text()
  }
  const device = demoDevice(3)
  const child = await call('/api/v2/beta/user/create-real-user', {
    first_name: '지우',
    last_name: '김',
    birthdate: '20180203',
    gender: 'F',
    ...device,
  })
  const real_user_id = Number(valueOf('real_user_id', child))
  const nights = makeNights({ seed: 3, nights: dates.length, until: LAST, uniqueId: device.unique_id })
  await call('/api/v1/gamma/device/devlog', nights)
  const station = await call('/api/v1/beta/basestation')
  for (const [n, date] of dates.entries()) {
    if (n % 5 === 0 && n < 350) {
      const medication = [{ medication_name: '메틸페니데이트', medication_dose: 10 }]
      await call('/api/v1/beta/event', {
        real_user_id,
        created_at: date,
        memo: MEMO,
        event_data: { medication, hospital: [] },
      })
    }
    if (n % 30 !== 0) continue
    await call('/api/v1/beta/survey', {
      real_user_id,
      attention_score: 20 - n / 30,
      impulsivity_score: 15,
      disorder_score: 15,
    })
    await call(
      '/api/v1/gamma/basestation/environment',
      roomOf(dates.slice(n, n + 30), valueOf('unique_id', station)),
    )
  }
  const query = `real_user_id=${real_user_id}&basestation_id=${valueOf('basestation_id', station)}`
  const period = `start_date=${dates[0]}&end_date=${LAST}`
  return {
    files: {
      report: `${url}/api/v1/beta/pdf/report?${query}&${period}`,
      spreadsheet: `${url}/api/v1/gamma/device/export?unique_id=${device.unique_id}&${period}`,
    },
    token,
  }
}

/** The first value of that name in a response. */
function valueOf(name: string, response: string): string {
  return new RegExp(`"${name}":"?([^",}]+)`).exec(response)?.[1] ?? ''
}

/** Three readings an hour from midnight to eight of each date. */
function roomOf(days: readonly string[], unique_id: string) {
  return days.flatMap((date) =>
    Array.from({ length: 24 }, (_, n) => ({
      unique_id,
      measured_at: `${date}T0${Math.floor(n / 3)}:${20 * (n % 3) || '00'}:00`,
      temperature: 20 + (n % 5) / 2,
      humidity: 45 + n / 2,
      brightness: n % 4,
      noise: 30 + (n % 9),
    })),
  )
}
