import assert from 'node:assert/strict'
import { dateAtHome } from './home.ts'
import type { OtherPhone } from './other-phone.ts'
import type { Phone } from './phone.ts'
import { showPeople, signIn, signUp, visible } from './sharing.ts'
import type { Stage } from './stage.ts'

/** A parent lets a clinician look for a day. It ends with the clock of the service a day ahead. */
export async function clinician({ service, tell }: Stage, owner: Phone, other: OtherPhone): Promise<void> {
  const { tap, type, sees, misses, picture } = owner
  await other.write(dateAtHome(new Date()), 'Slept through.')
  await signIn(owner)
  await showPeople(owner)
  await type('E-mail', 'doctor@example.com')
  await tap('Viewer', 'radio')
  await tap('Last day', 'radio')
  await tap('Send the invitation')
  await sees('Please choose today or a later day')
  await type('Last day', dateAtHome(new Date()))
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
    await showPeople(owner)
    await sees('Dr. Lee')
    await sees('created a report')
    await picture('sharing-09-who-looked')

    await service.nextDay()
    await doctor.tap('Today', 'tab')
    await doctor.page.reload()
    await doctor.sees('Add your child and pair the device.')
    // Nobody has ended it: its last day is over.
    await doctor.sees('The sharing of Mina has ended.')
    await doctor.picture('sharing-10-viewer-afterwards')
    await doctor.tap('OK')
    await doctor.misses('Mina')
    await owner.page.reload()
    await showPeople(owner)
    await misses('doctor@example.com')

    // What has no last day ends by hand.
    await tap('End the access')
    await sees('End the access of Park Minho?')
    await tap('End the access')
    await sees('Nobody but you.')
    await picture('sharing-11-ended')
  })
}
