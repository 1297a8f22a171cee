import assert from 'node:assert/strict'
import { dateOf } from './home.ts'
import type { OtherPhone } from './other-phone.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'

/** A parent shares a child with the other parent and with a clinician, each on a phone of their own. */
export async function sharing(
  { service, front, tell }: Stage,
  owner: Phone,
  other: OtherPhone,
): Promise<void> {
  const { tap, sees, misses, picture } = owner
  await owner.type('E-mail', 'demo@example.com')
  await owner.type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('People with access to Mina')
  await sees('Nobody but you.')
  await sees('Nobody else has looked yet.')
  await tap('Send the invitation')
  await sees('Please check the address')
  await owner.type('E-mail', 'father@example.com')
  await picture('sharing-01-invite')
  await tap('Send the invitation')
  await sees('We sent an invitation to father@example.com.')

  const link = new URL(await service.mailedLink('father@example.com'))
  await tell({ locale: 'en-US', colorScheme: 'light' }, async (father) => {
    await father.page.goto(`${front.url}/invitation${link.search}`)
    await father.sees('Sign in or create an account of your own')
    await father.picture('sharing-02-invited')
    await signUp(father, service, { name: 'Park Minho', email: 'father@example.com', phone: '2125550147' })
    await father.sees('Paste the code or the link')
    await father.picture('sharing-03-accept')
    await father.tap('Accept')
    await father.sees('Shared with you as guardian')
    await father.sees('Last night')
    await father.picture('sharing-04-guardian')

    // Two guardians write about the same morning.
    await father.tap('Write a note')
    await father.type('Note', 'Slept through.')
    await other.write(dateOf(new Date()), 'Woke at four.')
    await father.tap('Save')
    await father.sees('changed on another phone')
    await father.sees('Woke at four.')
    await father.tap('Save mine')
    await father.misses('Woke at four.')
    await father.sees('Slept through.')
    assert.equal(await other.memo(dateOf(new Date())), 'Slept through.')

    await father.tap('Settings', 'tab')
    await father.tap('Children and devices')
    await father.sees('A guardian sees everything')
    assert.equal(await visible(father, 'Unpair'), 0)
    assert.equal(await visible(father, 'Edit Mina'), 0)
    assert.equal(await visible(father, 'People with access to'), 0)
    await father.picture('sharing-05-shared-child')
  })

  await owner.page.reload()
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('People with access to Mina')
  await sees('Park Minho')
  await sees('wrote a note')
  await picture('sharing-06-people')
  await owner.type('E-mail', 'doctor@example.com')
  await tap('Viewer', 'radio')
  await tap('Last day', 'radio')
  await tap('Send the invitation')
  await sees('Please choose today or a later day')
  await owner.type('Last day', dateOf(new Date()))
  await tap('Send the invitation')
  await sees('We sent an invitation to doctor@example.com.')

  const mailed = await service.mailedLink('doctor@example.com')
  await tell({ locale: 'en-US', colorScheme: 'dark' }, async (doctor) => {
    await signUp(doctor, service, { name: 'Dr. Lee', email: 'doctor@example.com', phone: '2125550148' })
    await doctor.tap('Accept an invitation')
    await doctor.type('Invitation code', 'hello')
    await doctor.tap('Accept')
    await doctor.sees('Please paste the whole code or link')
    await doctor.type('Invitation code', mailed)
    await doctor.tap('Accept')
    await doctor.sees('Shared with you as viewer')
    await doctor.sees('Slept through.')
    for (const offered of ['Write a note', 'Edit the note', 'Pair a device'])
      assert.equal(await visible(doctor, offered), 0, offered)
    assert.equal(await doctor.page.getByRole('radiogroup', { name: 'Mood' }).count(), 0)
    await doctor.picture('sharing-07-viewer')
    await doctor.tap('Trends', 'tab')
    await doctor.sees('Humidity')
    assert.equal(await visible(doctor, 'Enter a survey'), 0)
    await doctor.tap('Report', 'tab')
    await doctor.tap('Create the report')
    await doctor.sees('The report is ready')
    assert.equal(await visible(doctor, 'Download the spreadsheet'), 0)
    await doctor.picture('sharing-08-viewer-report')

    await owner.page.reload()
    await tap('Settings', 'tab')
    await tap('Children and devices')
    await tap('People with access to Mina')
    await sees('Dr. Lee')
    await sees('created a report')
    await picture('sharing-09-who-looked')
    await tap('End the access')
    await sees('End the access of Dr. Lee?')
    await tap('End the access')
    await misses('doctor@example.com')

    await doctor.tap('Today', 'tab')
    await doctor.page.reload()
    await doctor.sees('Add your child and pair the device.')
    await doctor.misses('Mina')
  })
  // The story of the notes begins with an empty day.
  await other.write(dateOf(new Date()), '')
}

const visible = ({ page }: Phone, text: string) => page.getByText(text).filter({ visible: true }).count()

interface NewAccount {
  name: string
  email: string
  /** A number in the USA. */
  phone: string
}

async function signUp(
  { tap, type, sees }: Phone,
  service: Service,
  { name, email, phone }: NewAccount,
): Promise<void> {
  await tap('Create an account')
  await type('Phone number', phone)
  await tap('Send the code')
  await sees('We sent 6 digits')
  await type('Code', await service.smsCode(`+1${phone}`))
  await tap('Verify')
  await sees('About you')
  await type('Full name', name)
  await type('Birth date', '1984-05-06')
  await type('E-mail', email)
  await type('Password', 'correct horse battery')
  await tap('Create the account')
}
