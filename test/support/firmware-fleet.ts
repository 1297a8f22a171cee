import type { Database } from '@companion/server/database/database.ts'
import { judgeReleases } from '@companion/server/firmware/judge.ts'
import type { Judgement } from '@companion/server/firmware/judge.ts'
import type { StopReason } from '@companion/server/firmware/verdict.ts'

/*
 * Fleets that take a firmware, night after night, in a database and in simulated time: what the judge of releases is tried with.
 *
 * A child wears the device in nine of ten nights, for a length of its own (7 hours on average, with 45 minutes of change from night to
 * night), and loses contact at a rate of its own (0.3 times a night on average). The device uploads in the morning after, and
 * installs within a day of being offered a firmware.
 */

export type FleetKind = 'good' | StopReason

export interface FleetOptions {
  kind: FleetKind
  seed: number
  devices?: number
  /** Percentages of the devices. */
  steps?: number[]
  waitDays?: number
  /** Ends after this, if nothing has stopped the release. */
  days?: number
}

export interface FleetOutcome {
  stopped: { reason: StopReason; detail: string; day: number; step: number } | undefined
  /** When the second step began, in days since the release. */
  secondStepDay: number | undefined
  steps: number
}

const TIME_ZONE = 'America/New_York'
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Noon on the clocks of the fleet. */
const BEGIN = Date.parse('2026-03-10T16:00:00Z')
const OFFSET = -4 * HOUR

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function poisson(random: () => number, mean: number): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count += 1
  return count
}

interface Device {
  id: number
  usualSeconds: number
  lossesANight: number
  /** When it will install, once it is offered the firmware. */
  installsAt: number | undefined
  installedAt: number | undefined
  isBad: boolean
  lastUploadAt: number
}

/** Of the devices with a bad firmware, those that show it. */
const SHARE_OF_BAD = { good: 0, failed: 0.05, silent: 0.08, 'contact-loss': 1, shorter: 1 }

/** Of the first fleet's firmware and release. */
const FIRST_ID = 1_000_000

/**
 * Lets a fleet take a firmware in steps. It leaves nothing behind that another one would meet. Fleets of one seed are the same, and go one after
 * the other.
 */
export async function runFleet(
  database: Database,
  { kind, seed, devices: size = 2000, steps = [10, 50, 100], waitDays = 5, days = 20 }: FleetOptions,
): Promise<FleetOutcome> {
  const hardware = `FLEET-${seed}`
  const firmwareId = FIRST_ID + seed
  const { pool } = database
  const random = randomOf(seed)
  const one = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>(text, values)).rows
  const [child] = await one<{ id: number }>('SELECT id FROM real_user ORDER BY id LIMIT 1', [])
  if (!child) throw new Error('a fleet needs a child in the database')
  // Which devices a step covers depends on their ids and on that of the release: they come from the seed too.
  const ids = await one<{ id: number }>(
    `INSERT INTO device (serial_code, mac_id, unique_id, device_alias, now_firmware_id, hardware, real_user_id, connected_at)
     SELECT $1 || '-' || n, 'A1B2', md5($1 || ' ' || n)::uuid, 'fleet', 1, $1, $2, $3::timestamptz - interval '30 days'
     FROM generate_series(1, $4::int) n RETURNING id`,
    [hardware, child.id, new Date(BEGIN), size],
  )
  // As the first upload of each does; on several nodes records have to find the row that it makes.
  await pool.query('SELECT lock_device_records(id) FROM device WHERE hardware = $1', [hardware])
  const fleet = ids.map(({ id }): Device => ({
    id,
    usualSeconds: Math.max(3 * 3600, 7 * 3600 + 3600 * normal(random)),
    lossesANight: 0.3 * -Math.log(1 - random()),
    installsAt: undefined,
    installedAt: undefined,
    isBad: random() < SHARE_OF_BAD[kind],
    lastUploadAt: 0,
  }))
  const byId = new Map(fleet.map((each) => [each.id, each]))
  await pool.query(
    `INSERT INTO firmware (id, hardware, version, size, sha256, sequence, oldest, manifest, added_at)
     VALUES ($1, $2, '2.0', 1, '\\x00', 1, 0, '\\x00', now())`,
    [firmwareId, hardware],
  )
  const [release] = await one<{ id: number }>(
    `INSERT INTO firmware_release (id, firmware_id, hardware, steps, wait_seconds, stop_failed, stop_silent, stop_contact_loss, stop_shorter,
       fewest, began_at, step_began_at) VALUES ($1, $1, $2, $3, $4, 0.02, 0.05, 1.5, 0.2, 20, $5, $5) RETURNING id`,
    [firmwareId, hardware, steps, waitDays * 86_400, new Date(BEGIN)],
  )
  if (!release) throw new Error('no release')

  /** Stores the nights that end on the morning of a day (counted from the release), and the uploads of that morning. */
  const sleep = async (day: number) => {
    const [devices, dates, seconds, flags, files]: [number[], string[], number[], number[], number[]] = [
      [],
      [],
      [],
      [],
      [],
    ]
    const evening = BEGIN + (day - 1) * DAY + 9 * HOUR
    const uploads: Device[] = []
    for (const device of fleet) {
      const hasNew = device.installedAt !== undefined && device.isBad
      const isUsed = random() < 0.9
      const length = device.usualSeconds + 2700 * normal(random)
      const losses = poisson(random, device.lossesANight * (hasNew && kind === 'contact-loss' ? 2 : 1))
      if (!isUsed || (hasNew && kind === 'silent')) continue
      const whole = Math.max(600, Math.round(length * (hasNew && kind === 'shorter' ? 0.7 : 1)))
      for (let part = 0; part <= losses; part += 1) {
        const each = Math.floor(whole / (losses + 1))
        devices.push(device.id)
        dates.push(new Date(evening + OFFSET + part * (each + 60) * 1000).toISOString().slice(0, 19))
        seconds.push(each)
        flags.push(part < losses ? 4 : 1)
        files.push((day + 20) * 100 + part)
      }
      device.lastUploadAt = BEGIN + (day - 1) * DAY + 20 * HOUR + Math.floor(random() * 3 * HOUR)
      uploads.push(device)
    }
    await pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
         intensity_record)
       SELECT device, $1, date, seconds, 0, file, 5, flag, '{5}'
       FROM unnest($2::int[], $3::timestamp[], $4::int[], $5::smallint[], $6::int[]) n (device, date, seconds, flag, file)`,
      [child.id, devices, dates, seconds, flags, files],
    )
    await pool.query(
      `UPDATE device d SET last_upload_at = n.at FROM unnest($1::int[], $2::timestamptz[]) n (id, at) WHERE d.id = n.id`,
      [uploads.map(({ id }) => id), uploads.map(({ lastUploadAt }) => new Date(lastUploadAt))],
    )
  }

  /** Has those install whose time has come, and offers the firmware to those that the step covers now. */
  const install = async (at: number) => {
    const covered = await one<{ id: number }>(
      `SELECT d.id FROM firmware_release r JOIN device d ON d.hardware = r.hardware
       WHERE r.id = $1 AND r.state = 'open' AND firmware_bucket(r.id, d.unique_id) * 100 < r.steps[r.step] * 4294967296
         AND NOT EXISTS (SELECT FROM device_firmware o WHERE o.device_id = d.id)
       ORDER BY d.id`,
      [release.id],
    )
    for (const { id } of covered) {
      const device = byId.get(id)
      if (device) device.installsAt = at + Math.floor(random() * DAY)
    }
    await pool.query(
      `INSERT INTO device_firmware (device_id, firmware_id, release_id, offered_at) SELECT unnest($1::int[]), $2, $3, $4`,
      [covered.map(({ id }) => id), firmwareId, release.id, new Date(at)],
    )
    const due = fleet.filter((each) => each.installsAt !== undefined && each.installsAt <= at)
    const failing = due.filter((each) => kind === 'failed' && each.isBad)
    const installing = due.filter((each) => !failing.includes(each))
    for (const each of due) {
      if (!failing.includes(each)) each.installedAt = each.installsAt
      each.installsAt = undefined
    }
    // The device's own row last: its trigger, which takes the present time, then finds nothing to change.
    await pool.query(`UPDATE device d SET now_firmware_id = $2 WHERE id = ANY ($1::int[])`, [
      installing.map(({ id }) => id),
      firmwareId,
    ])
    await pool.query(
      `UPDATE device_firmware o SET installed_at = n.at, outcome = 'installed', was_active = d.last_upload_at > n.at - interval '7 days'
       FROM unnest($1::int[], $2::timestamptz[]) n (id, at), device d WHERE o.device_id = n.id AND d.id = n.id`,
      [installing.map(({ id }) => id), installing.map(({ installedAt = 0 }) => new Date(installedAt))],
    )
    await pool.query(
      `UPDATE device_firmware SET outcome = 'failed', failed_tries = 3 WHERE device_id = ANY ($1::int[])`,
      [failing.map(({ id }) => id)],
    )
  }

  const outcome: FleetOutcome = { stopped: undefined, secondStepDay: undefined, steps: 1 }
  try {
    for (let day = -14; day < 0; day += 1) await sleep(day + 1)
    await pool.query('ANALYZE treatment, device')
    for (let hour = 0; hour <= days * 24; hour += 6) {
      const at = BEGIN + hour * HOUR
      if (hour > 0 && hour % 24 === 0) await sleep(hour / 24)
      await install(at)
      const judged: Judgement[] = await judgeReleases(database, {
        at: new Date(at),
        timeZone: TIME_ZONE,
      })
      const own = judged.find(({ release_id }) => release_id === release.id)
      if (own?.became === 'next') {
        outcome.steps += 1
        if (outcome.steps === 2) outcome.secondStepDay = hour / 24
      }
      if (own?.became === 'stopped') {
        if (own.reason && own.detail)
          outcome.stopped = { reason: own.reason, detail: own.detail, day: hour / 24, step: outcome.steps }
        break
      }
    }
    return outcome
  } finally {
    await pool.query('DELETE FROM treatment WHERE device_id = ANY ($1::int[])', [ids.map(({ id }) => id)])
    await pool.query('DELETE FROM device_firmware WHERE firmware_id = $1', [firmwareId])
    await pool.query('DELETE FROM firmware_release WHERE id = $1', [release.id])
    await pool.query('DELETE FROM firmware WHERE id = $1', [firmwareId])
    await pool.query('DELETE FROM device WHERE hardware = $1', [hardware])
  }
}
