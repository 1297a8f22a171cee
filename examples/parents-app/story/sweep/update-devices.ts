import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOME_TIME_ZONE, dateAtHome } from '../home.ts'
import type { Service } from '../service.ts'
import { soon } from '../soon.ts'
import { onStage } from '../stage.ts'
import type { LanguageWalk } from './combinations.ts'
import { signIn } from './demo-family.ts'
import { firstCombination, runEachWalk } from './screen.ts'
import type { SweepPhone } from './screen.ts'

const FIRMWARE = 2
const VERSION = '1.4.0'
const NOTES = {
  en: 'Quieter when it starts, and a longer battery life.',
  ko: '시작할 때 더 조용하고 배터리가 더 오래갑니다.',
}
/** Takes some seconds on its way to a simulated device. */
const SIZE = 1_000_000

/** Parents update the devices of the demo family, by day, with all that can go wrong: each walk with a family of its own. */
export async function updateDevices(dist: URL, asked: readonly LanguageWalk[], cut: string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-firmware-'))
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const [image, key] = [join(directory, 'image.bin'), join(directory, 'private.pem')]
  await writeFile(image, randomBytes(SIZE))
  await writeFile(key, privateKey)
  for (const walk of asked)
    await onStage(
      dist,
      async (stage) => {
        await release(stage.service, image, key)
        const runs = await runsOf(stage.service.url)
        await runEachWalk(stage, [walk], cut, async (visit) => {
          await night(visit)
          await carried(visit, runs, firstCombination(walk).name)
          await notTaken(visit)
        })
      },
      { FIRMWARE_KEYS: JSON.stringify([{ kid: 'story', public_key: publicKey }]) },
    )
  await rm(directory, { recursive: true })
}

/** Signs the image as its maker does, and releases it to all devices. */
async function release({ companion }: Service, image: string, key: string): Promise<void> {
  const id = ['--firmware-id', String(FIRMWARE)]
  const kept = ['--manifest', `${image}.manifest`, '--version', VERSION]
  const notes = ['--notes-en', NOTES.en, '--notes-ko', NOTES.ko]
  const signed = ['--key', key, '--kid', 'story', '--hardware', 'A1', '--sequence', '1']
  await companion('firmware', 'sign', image, ...signed, ...id)
  await companion('firmware', 'add', image, ...kept, ...notes)
  await companion('firmware', 'release', ...id, '--steps', '100', '--wait', 'P5D')
}

/** What the service takes the first device to run. The phone of the story signs in after that, so it stays signed in. */
async function runsOf(url: string): Promise<() => Promise<number>> {
  const signedIn = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'demo@example.com', password: 'demo-family-2026' }),
  })
  const { access_token } = await signedIn.json()
  return async () => {
    const response = await fetch(`${url}/api/v1/beta/device`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    assert.equal(response.status, 200)
    const devices: { serial_code: string; now_firmware_id: number }[] = await response.json()
    return devices.find(({ serial_code }) => serial_code === 'DEMO-001')?.now_firmware_id ?? 0
  }
}

/** A time of day at home, tomorrow. */
function tomorrowAt(clock: string): Date {
  const tomorrow = dateAtHome(new Date(Date.now() + 86_400_000))
  const zone = new Intl.DateTimeFormat('en', { timeZone: HOME_TIME_ZONE, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${tomorrow}T18:00:00Z`))
    .find(({ type }) => type === 'timeZoneName')
  return new Date(`${tomorrow}T${clock}${zone?.value.slice(3)}`)
}

/** Nothing is offered in the evening or in the morning. Ends on Today, in the afternoon. */
async function night({ t, page, tap, sees, comesBack, ...visit }: SweepPhone): Promise<void> {
  await page.clock.install({ time: tomorrowAt('11:58:00') })
  await signIn({ t, page, tap, sees, comesBack, ...visit })
  await sees(t.trends.usage)
  assert.equal(await page.getByText(t.firmware.ready(VERSION)).filter({ visible: true }).count(), 0)
  await page.clock.fastForward(3 * 60_000)
  await sees(t.firmware.ready(VERSION))
}

/** An update that breaks off everywhere, and is complete in the end, without a connection. Starts and ends on Today. */
async function carried(visit: SweepPhone, runs: () => Promise<number>, name: string): Promise<void> {
  const { t, language, page, front, tap, sees, misses, shows, open, comesBack } = visit
  const behave = (next: keyof typeof t.simulated.behaviours) => tap(t.simulated.behaviours[next], 'radio')
  await shows('80-update-today', t.firmware.ready(VERSION))
  await page.evaluate(lowBattery)
  await open('DEMO-001')
  await sees(NOTES[language])
  await sees(t.firmware.start)
  await shows('80-update', t.firmware.phoneBattery('12%'))
  front.left = SIZE / 2
  const seen = Promise.withResolvers<void>()
  const ranges: (string | undefined)[] = []
  await page.route('**/ota/file*', async (route) => {
    ranges.push(route.request().headers()['range'])
    await seen.promise
    await route.continue()
  })
  await tap(t.firmware.start)
  await sees(t.firmware.steps.loading)
  await visit.shoot(`sweep/${name}/81-update-loading`)
  seen.resolve()
  await shows('81-update-offline', t.firmware.waiting.offline)
  front.left = Infinity
  for (const [behaviour, state] of [
    ['far', 'unreachable'],
    ['low', 'battery'],
    ['worn', 'in-use'],
    ['cut', 'lost'],
  ] as const) {
    await behave(behaviour)
    await tap(t.firmware.goOn)
    await shows(`82-update-${state}`, t.firmware.waiting[state])
  }
  assert.equal(
    ranges.filter((range) => range?.startsWith('bytes=0-')).length,
    1,
    'what was loaded is not loaded again',
  )
  await page.clock.setSystemTime(tomorrowAt('20:01:00'))
  await page.clock.fastForward(61_000)
  await shows('83-update-night', t.firmware.waiting.night)
  assert.equal(await page.getByRole('button', { name: t.firmware.goOn }).count(), 0)
  await page.clock.setSystemTime(tomorrowAt('16:00:00'))
  await page.clock.fastForward(61_000)

  front.connected = false
  await behave('leaves')
  await tap(t.firmware.goOn)
  await sees(t.firmware.steps.sending)
  await tap(t.firmware.pause)
  await shows('84-update-paused', t.firmware.waiting.paused)
  await tap(t.firmware.goOn)
  await sees(t.firmware.steps.sending)
  await visit.settled()
  await visit.shoot(`sweep/${name}/85-update-sending`)
  await shows('86-update-unconfirmed', t.firmware.waiting.unconfirmed)
  await behave('works')
  await tap(t.firmware.goOn)
  await shows('86-update-installed', t.firmware.ended.installed(VERSION))
  assert.equal(await runs(), 1)
  front.connected = true
  await comesBack()
  await soon(async () => assert.equal(await runs(), FIRMWARE))
  await tap(t.back)
  await misses(t.firmware.ready(VERSION))
}

/** Gives the phone a battery that is nearly empty. Runs in the page. */
function lowBattery(): void {
  const battery = { level: 0.12, charging: false, addEventListener: () => undefined }
  Object.defineProperty(navigator, 'getBattery', { value: async () => battery })
}

/** A device that does not take the update, and is offered it no more after three tries. Starts on Today, ends signed out. */
async function notTaken(visit: SweepPhone): Promise<void> {
  const { t, page, tap, sees, misses, shows, open } = visit
  const behave = (name: keyof typeof t.simulated.behaviours) => tap(t.simulated.behaviours[name], 'radio')
  const begin = async () => {
    await tap(t.children.switchTo('Joon'), 'radio')
    await sees(t.firmware.ready(VERSION))
    await open('DEMO-002')
  }
  await begin()
  await behave('breaks')
  await tap(t.firmware.start)
  await shows('87-update-failed', t.firmware.ended.failed)
  await behave('returns')
  await tap(t.retry)
  await shows('88-update-rolled-back', t.firmware.ended.rolled_back)
  await page.reload()
  await begin()
  await behave('refuses')
  await tap(t.firmware.start)
  await shows('89-update-refused', t.firmware.ended.refused)
  await page.reload()
  await tap(t.children.switchTo('Joon'), 'radio')
  await sees(t.trends.usage)
  await misses(t.firmware.ready(VERSION))
  await tap(t.tabs.settings, 'tab')
  await open(t.settings.signOut)
  await sees(t.tagline)
}
