/*
 * Compares the report of a year with that of another checkout of this project, each on a service and a database of its
 * own: a child with a use in each of 366 nights, 70 notes, 13 surveys and a base station that measures three times an
 * hour at night. The rounds alternate; prints the medians of processor time and of time for each report, and the most
 * memory that the services have used. More than 1.5 times the time of the code of 7c24e3c is too much.
 *
 *   node test/bench/report-year.ts --against ../companion-before [--reports 5] [--rounds 5]
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeNights } from '@companion/device-simulator'
import { sessionResponse } from '@companion/server/auth/token-response.ts'
import { DEMO_EMAIL, DEMO_PASSWORD, demoDevice } from '@companion/server/demo/family.ts'
import { addDays } from '@companion/server/time/wall-clock.ts'
import { get, HERE, startEmbeddedService } from './embedded-service.ts'
import { median } from './measure.ts'
import { processorTime, residentMemory } from './process.ts'

const LAST = '2025-11-30'
const dates = Array.from({ length: 366 }, (_, day) => addDays(LAST, day - 365))
const MEMO = '새벽에 전극을 다시 붙였습니다. '.repeat(8)

interface Contestant {
  name: string
  pid: number
  report: string
  token: string
  cpu: number[]
  elapsed: number[]
}

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    reports: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
  },
})
const reports = Number(options.reports)
const checkouts = [...(options.against === undefined ? [] : [resolve(options.against)]), HERE]
const services = await Promise.all(
  checkouts.map((checkout) => startEmbeddedService({}, { checkout, options: ['--demo'] })),
)
try {
  const contestants: Contestant[] = []
  for (const [n, service] of services.entries()) {
    contestants.push({
      ...service,
      name: checkouts[n] ?? '',
      cpu: [],
      elapsed: [],
      ...(await addYear(service.url)),
    })
  }
  for (let round = 0; round <= Number(options.rounds); round += 1) {
    for (const { pid, report, token, cpu, elapsed } of contestants) {
      const before = await processorTime([pid])
      const started = performance.now()
      for (let n = 0; n < reports; n += 1) await get(report, token)
      // In the first round the threads start and the code is compiled.
      if (round === 0) continue
      elapsed.push((performance.now() - started) / reports)
      cpu.push(((await processorTime([pid])) - before) / 1000 / reports)
    }
  }
  for (const { name, pid, report, token, cpu, elapsed } of contestants) {
    const alone = await residentMemory(pid, 'VmHWM')
    const [size = 0] = await Promise.all(Array.from({ length: 10 }, () => get(report, token)))
    const figures = [
      `${median(cpu).toFixed(0)} ms of processor time`,
      `${median(elapsed).toFixed(0)} ms`,
      `${(size / 1000).toFixed(0)} kB`,
      `at most ${alone} MiB, ${await residentMemory(pid, 'VmHWM')} MiB with 10 at once`,
    ]
    process.stdout.write(`${name}: ${figures.join(', ')}\n`)
  }
} finally {
  for (const service of services) await service.stop()
}

/** Gives the demo family a third child with a year of data. Returns the address of the child's report. */
async function addYear(url: string): Promise<{ report: string; token: string }> {
  const signedIn = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: DEMO_EMAIL, password: DEMO_PASSWORD }),
  })
  const { access_token: token } = sessionResponse.parse(await signedIn.json())
  const call = async (path: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return answer.text()
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
  return { report: `${url}/api/v1/beta/pdf/report?${query}&start_date=${dates[0]}&end_date=${LAST}`, token }
}

/** The first value of that name in an answer. */
function valueOf(name: string, answer: string): string {
  return new RegExp(`"${name}":"?([^",}]+)`).exec(answer)?.[1] ?? ''
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
