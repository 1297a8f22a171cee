import assert from 'node:assert/strict'
import { joinClinic } from '../clinic-person.ts'
import type { Service } from '../service.ts'
import { soon } from '../soon.ts'
import type { SweepPhone } from './screen.ts'

const NAME = { en: 'Seoul Sleep Clinic', ko: '서울수면병원' }

/** Adds a clinic as an operator does. `code` is what it gives to parents. */
export async function addClinic(
  { companion }: Service,
  name: string,
): Promise<{ clinic_id: number; code: string }> {
  const added = await companion(
    'clinic',
    'add',
    '--name',
    name,
    '--url',
    'https://clinic.example.org',
    '--json',
  )
  return JSON.parse(added)
}

/** A parent lets a clinic in by its code, and ends that. Starts and ends in the settings. */
export async function clinic({
  t,
  language,
  page,
  service,
  tap,
  type,
  sees,
  misses,
  shows,
  open,
}: SweepPhone): Promise<void> {
  const name = NAME[language]
  const { clinic_id: clinicId, code } = await addClinic(service, name)
  const person = { name: 'Dr. Lee', email: `lee-${language}@example.com`, clinicId }
  const look = await joinClinic(page.context(), service, person)
  const find = async (typed: string) => {
    await type(t.clinics.code, typed)
    await tap(t.clinics.find)
  }
  await tap(t.settings.children)
  await tap(t.sharing.of('Mina'))
  await sees(t.clinics.none)
  await open(t.clinics.connect)
  await find('7K3M')
  await shows('90-clinic-code', t.clinics.codeIssue)
  await find('ZZZZ-ZZZZ-ZZZZ')
  await shows('90-clinic-unknown', t.failures['Clinic not found'] ?? '')
  await find(code.toLowerCase().replaceAll('-', ' '))
  await shows('91-clinic', t.clinics.mayNot)
  await tap(t.sharing.lastDay, 'radio')
  await tap(t.clinics.connectTo(name))
  await shows('91-clinic-last-day', t.sharing.lastDayIssue)
  await tap(t.sharing.noEnd, 'radio')
  const connected = page.waitForResponse(/clinics\.connect$/)
  await tap(t.clinics.connectTo(name))
  await shows('92-clinic-connected', name)
  const child = (await (await connected).json()).result.data.real_user_id
  assert.equal(await look(child), 200)
  // It is written with others, a moment later.
  await soon(async () => {
    await page.reload()
    await tap(t.tabs.settings, 'tab')
    await tap(t.settings.children)
    await tap(t.sharing.of('Mina'))
    await sees(t.sharing.looked)
    await page.getByText(`${name}, ${person.name} · ${t.sharing.kinds.charts}`).waitFor({ timeout: 2_000 })
  })
  await shows('93-clinic-looked', person.name)

  await open(t.clinics.connect)
  await find(code)
  await tap(t.clinics.connectTo(name))
  await shows('93-clinic-already', t.clinics.already)
  await open(t.clinics.connect)
  await find(code)
  await tap('Joon', 'radio')
  await tap(t.clinics.connectTo(name))
  await sees(t.sharing.hint('Joon'))
  await misses(t.clinics.already)
  await tap(t.back)
  await tap(t.back)
  await tap(t.children.edit('Joon'))
  await tap(t.children.delete)
  await shows('94-clinic-loses-access', t.deletion.clinic(name, 'Joon'))
  await tap(t.back)
  await tap(t.back)

  for (const child of ['Joon', 'Mina']) {
    await tap(t.sharing.of(child))
    await tap(t.clinics.end)
    await shows(`95-clinic-end-${child}`, t.clinics.endQuestion(name))
    await tap(t.clinics.end)
    await sees(t.clinics.none)
    await tap(t.back)
  }
  assert.equal(await look(child), 401)
  await tap(t.back)
}
