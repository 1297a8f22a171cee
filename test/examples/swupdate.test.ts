import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ddi } from '../support/ddi.ts'
import { addChild, signUp } from '../support/family.ts'
import { keep, release, signedImage } from '../support/firmware.ts'
import { startProxy } from '../support/machines/proxy.ts'
import { useServer } from '../support/server.ts'
import { hasSwupdate, swupdateMaker, WHEN_SILENT } from '../support/swupdate.ts'

/* Debian's SWUpdate, a client of hawkBit that nobody here wrote, gets firmware on a line that is cut and lies. */

/** What the line does to a piece of a response; true cuts it there. */
let meet: (piece: Buffer) => boolean = () => false
const line = await startProxy('http://127.0.0.1:1', (piece) => {
  // SWUpdate loads nothing before it has paused once.
  const pause = piece.indexOf('"sleep":"00:05:00"')
  if (pause !== -1) piece.write('"sleep":"00:00:01"', pause)
  return meet(piece)
})
const server = useServer({ FIRMWARE_DDI: 'on', PUBLIC_URL: line.url.replace(/\/$/, '') })
const { withKey } = ddi(server)

const SIZE = 3_000_000
/** Only the image comes in pieces of this size. */
const LARGE = 10_000

let hardware = 0
let maker: Awaited<ReturnType<typeof swupdateMaker>>

describe.skipIf(!hasSwupdate)('SWUpdate (swupdate)', WHEN_SILENT, () => {
  beforeAll(async () => {
    line.leadTo(server.url)
    maker = await swupdateMaker()
  })
  afterAll(async () => {
    await maker.stop()
    await line.close()
  })

  /** A device of its own hardware, for which an update is released. */
  async function offeredDevice() {
    hardware += 1
    const child = await addChild(server, (await signUp(server)).token)
    const key = await withKey(child, `SWU-${hardware}`)
    const device = await maker.device(line.url.replace(/\/$/, ''), child.unique_id, key)
    const image = randomBytes(SIZE)
    const archive = await maker.update(image, device.slot)
    const signed = signedImage({ hardware: `SWU-${hardware}`, image: archive })
    await keep(server, signed)
    await release(server, signed)
    const known = async () => {
      const { rows } = await server.database.pool.query(
        `SELECT d.now_firmware_id AS runs, o.outcome, o.detail, o.failed_tries AS failed, cardinality(o.loads) AS loads
         FROM device d LEFT JOIN device_firmware o ON o.device_id = d.id WHERE d.id = $1`,
        [child.device_id],
      )
      return rows[0]
    }
    return { ...device, image, known, firmware_id: signed.fields.firmware_id }
  }

  test('asks, loads on where the line was cut, installs, and reports once it is confirmed', async () => {
    const device = await offeredDevice()
    let passed = 0
    let cuts = 0
    meet = (piece) => {
      if (piece.length < LARGE) return false
      passed += piece.length
      if (passed < (cuts + 1) * 700_000 || cuts === 3) return false
      cuts += 1
      return true
    }
    const said = await device.start(async () =>
      /All Chunks Installed|SWUPDATE successful/.test((await device.known()).detail ?? ''),
    )
    expect({ cuts, loads: (await device.known()).loads }).toEqual({ cuts: 3, loads: 1 })
    // Not from the start again.
    expect(passed).toBeLessThan(1.3 * SIZE)
    expect((await device.holds()).equals(device.image)).toBe(true)
    expect(said).toContain('SWUPDATE successful')
    expect(await device.known()).toMatchObject({ runs: 1, outcome: 'started', failed: 0 })
    await device.start(async () => (await device.known()).outcome === 'installed', '-c', '2')
    expect(await device.known()).toMatchObject({ runs: device.firmware_id, outcome: 'installed', failed: 0 })
  })

  test('refuses an image with a flipped byte, and reports that', async () => {
    const device = await offeredDevice()
    let passed = 0
    meet = (piece) => {
      if (piece.length >= LARGE && passed < 1_000_000 && passed + piece.length >= 1_000_000)
        piece.writeUInt8(piece.readUInt8(piece.length >> 1) ^ 1, piece.length >> 1)
      if (piece.length >= LARGE) passed += piece.length
      return false
    }
    await device.start(async () => (await device.known()).outcome === 'failed')
    expect(await device.known()).toMatchObject({ runs: 1, outcome: 'failed', failed: 1 })
    expect((await device.holds()).toString()).toBe('old')
  })

  test('that is never confirmed installs at each start: it loads five times, and is then offered nothing', async () => {
    meet = () => false
    const device = await offeredDevice()
    for (let loads = 1; loads <= 5; loads += 1) {
      const said = await device.start(async () => {
        const known = await device.known()
        return known.loads === loads && known.detail === 'All Chunks Installed.'
      })
      expect(said).toContain('SWUPDATE successful')
    }
    expect(await device.known()).toMatchObject({ runs: 1, outcome: 'started', loads: 5, failed: 0 })
    await device.start(async () => (await device.known()).failed === 3)
    expect(await device.known()).toMatchObject({ runs: 1, outcome: 'failed', loads: 5 })
    let asked = 0
    meet = (piece) => {
      asked += Number(piece.includes('"configData"'))
      return false
    }
    await device.start(async () => asked > 1)
    expect(await device.known()).toMatchObject({ runs: 1, outcome: 'failed', loads: 5, failed: 3 })
  })
})
