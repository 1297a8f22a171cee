/*
 * What the devices that ask for firmware cost one process: how much its memory grows while 20 of them load 8 MB slowly, and how many
 * questions it answers, as fast as this machine allows, and for each second of its processor time.
 *
 *   pnpm exec node test/bench/firmware-load.ts [--readers 20] [--seconds 10]
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { startEmbeddedService } from './embedded-service.ts'
import { ask } from './measure.ts'
import { processorTime, residentMemory } from './process.ts'

const { values: options } = parseArgs({
  options: { readers: { type: 'string', default: '20' }, seconds: { type: 'string', default: '10' } },
})
const SIZE = 8 * 1024 * 1024
const PIECE = 65_536
const DEVICES = 1000
const FIRMWARE = 13
/** Bytes that a reader takes each tenth of a second. */
const SIP = 60_000

const uniqueId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Loads the firmware over a connection of its own, slowly. Resolves to the bytes that came, the headers included. */
async function readSlowly(port: number, n: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.pause()
  socket.write(
    `GET /api/v1/gamma/device/firmware/${FIRMWARE}?unique_id=${uniqueId(n)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  )
  await once(socket, 'connect')
  let taken = 0
  while (!socket.readableEnded) {
    for (let sip = 0; sip < SIP;) {
      const bytes: Buffer | null = socket.read()
      if (!bytes) break
      sip += bytes.length
      taken += bytes.length
    }
    await pause(100)
  }
  return taken
}

const directory = await mkdtemp(join(tmpdir(), 'companion-firmware-load-'))
try {
  const embedded = await openEmbeddedPostgres({ directory, settings: {} })
  const database = await openDatabase(embedded.url, { pool: 2 })
  const service = await startEmbeddedService({
    DATABASE_URL: embedded.url,
    TOKEN_SECRET: 'a secret of a measurement, 32 bytes or more',
  })
  try {
    const { pool } = database
    const image = randomBytes(SIZE)
    await pool.query(
      `INSERT INTO root_user (first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed, register_type,
         national_code) VALUES ('', '', '', 'F', true, true, 'E', 'US')`,
    )
    await pool.query(
      `INSERT INTO real_user (root_user_id, first_name, last_name, birthdate, gender) SELECT id, '', '', '', 'F' FROM root_user`,
    )
    await pool.query(
      `INSERT INTO device (serial_code, mac_id, unique_id, device_alias, hardware, real_user_id)
       SELECT 'LOAD-' || n, 'A1B2', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, '', 'A1', r.id
       FROM generate_series(1, $1::int) n, real_user r`,
      [DEVICES],
    )
    await pool.query(
      `INSERT INTO firmware (id, hardware, version, size, sha256, sequence, oldest, manifest, added_at)
       VALUES ($1, 'A1', '2.0', $2, $3, 1, 0, $4, now())`,
      [FIRMWARE, SIZE, createHash('sha256').update(image).digest(), randomBytes(145)],
    )
    for (let n = 0; n * PIECE < SIZE; n += 1)
      await pool.query('INSERT INTO firmware_piece VALUES ($1, $2, $3)', [
        FIRMWARE,
        n,
        image.subarray(n * PIECE, (n + 1) * PIECE),
      ])
    await pool.query(
      `INSERT INTO firmware_release (firmware_id, hardware, steps, wait_seconds, stop_failed, stop_silent, stop_contact_loss, stop_shorter,
         fewest, began_at, step_began_at) VALUES ($1, 'A1', '{50}', 259200, 1, 1, 100, 1, 20, now(), now())`,
      [FIRMWARE],
    )
    const { rows } = await pool.query<{ n: number }>(
      `SELECT right(unique_id::text, 12)::int AS n FROM device, firmware_release r
       WHERE firmware_bucket(r.id, unique_id) * 100 < 50 * 4294967296 ORDER BY 1`,
    )
    const offered = rows.map(({ n }) => n)
    const port = Number(new URL(service.url).port)

    const agent = new Agent({ keepAlive: true, maxSockets: 32 })
    const questions = async (ms: number) => {
      let [asked, offers, wrong] = [0, 0, 0]
      const began = performance.now()
      const spent = await processorTime([service.pid])
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          while (performance.now() - began < ms) {
            const n = 1 + Math.floor(Math.random() * DEVICES)
            const status = await ask(port, agent, {
              path: `/api/v1/gamma/device/firmware?unique_id=${uniqueId(n)}`,
            })
            asked += 1
            if (status === 200) offers += 1
            else if (status !== 204) wrong += 1
          }
        }),
      )
      const seconds = (performance.now() - began) / 1000
      const processor = ((await processorTime([service.pid])) - spent) / 1_000_000
      return {
        'questions a second': Math.round(asked / seconds),
        'questions a second of its processor time': Math.round(asked / processor),
        offers,
        wrong,
      }
    }
    // What the first load needs stays. The memory of a process that has worked hard would hide what the readers take.
    await (
      await fetch(
        `${service.url}/api/v1/gamma/device/firmware/${FIRMWARE}?unique_id=${uniqueId(offered[0] ?? 0)}`,
      )
    ).arrayBuffer()
    const before = await residentMemory(service.pid, 'VmRSS')
    let most = before
    const done = new AbortController()
    const watching = (async () => {
      while (!done.signal.aborted) {
        most = Math.max(most, await residentMemory(service.pid, 'VmRSS'))
        await pause(50)
      }
    })()
    const readers = offered.slice(1, 1 + Number(options.readers))
    const began = performance.now()
    const taken = await Promise.all(readers.map((n) => readSlowly(port, n)))
    done.abort()
    await watching
    console.log({
      readers: readers.length,
      'whole images': taken.filter((bytes) => bytes > SIZE && bytes < SIZE + 2000).length,
      seconds: Math.round((performance.now() - began) / 1000),
      'MiB before': before,
      'MiB at most': most,
      'MiB more': most - before,
    })

    await questions(3000)
    console.log(await questions(1000 * Number(options.seconds)))
    agent.destroy()
  } finally {
    await service.stop()
    await database.close()
    await embedded.stop()
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
