import assert from 'node:assert/strict'
import { aroundMidnight, dateAtHome, formatFullDay } from './home.ts'
import type { OtherPhone } from './other-phone.ts'
import type { Phone } from './phone.ts'
import type { SameOrigin } from './same-origin.ts'
import { soon } from './soon.ts'

const OLD = 'No connection. Showing what was last loaded.'

/** A parent writes notes around midnight, at the same time as another parent, and in a tunnel. */
export async function notes(phone: Phone, other: OtherPhone, front: SameOrigin): Promise<void> {
  const { page, tap, type, sees, misses, comesBack, picture } = phone
  const visible = (text: string) => page.getByText(text, { exact: true }).filter({ visible: true }).count()
  const written = () => page.getByLabel('Note', { exact: true }).filter({ visible: true }).last().inputValue()

  const [evening, tomorrow] = aroundMidnight()
  // The clock keeps running, so leave enough time to sign in.
  await page.clock.install({ time: new Date(evening.getTime() - 10 * 60_000) })
  await page.reload()
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
  await sees(formatFullDay(evening))
  await tap('Calendar', 'tab')
  await sees(formatFullDay(evening))
  for (const now of [tomorrow, evening]) {
    await page.clock.setSystemTime(now)
    await comesBack()
    await sees(formatFullDay(now))
  }
  await page.clock.fastForward(90_000)
  await sees(formatFullDay(tomorrow))
  await tap('Today', 'tab')
  await sees(formatFullDay(tomorrow))
  await sees('How was the night?')
  await picture('notes-01-after-midnight')

  await tap('Write a note')
  await type('Note', 'Up at six.')
  await tap('Add medication')
  await type('Dose', '3 mg')
  await tap('Save')
  await sees('Please fill this in')
  await picture('notes-02-medication-without-name')
  await tap('Back')
  await sees('Leave without saving?')
  await picture('notes-03-leave')
  await tap('Keep writing')
  assert.equal(await written(), 'Up at six.')
  await tap('Remove: ')
  await tap('Save')
  await sees('Edit the note')
  await sees('Up at six.')
  assert.equal(await other.memo(dateAtHome(tomorrow)), 'Up at six.')

  await tap('Edit the note')
  await type('Note', 'Up at seven.')
  await tap('Back')
  await tap('Leave')
  await misses('Keep writing')
  await sees('Up at six.')

  await tap('Edit the note')
  await type('Note', 'Up at six, cheerful.')
  await other.write(dateAtHome(tomorrow), 'Had a fever at five.')
  await tap('Save')
  await sees('changed on another phone')
  await sees('Had a fever at five.')
  assert.equal(await written(), 'Up at six, cheerful.')
  await picture('notes-04-conflict')
  await tap('Save mine')
  await sees('Up at six, cheerful.')
  await misses('Had a fever at five.')

  await tap('Edit the note')
  await type('Note', 'Up at six, tired.')
  await other.write(dateAtHome(tomorrow), 'Slept till seven.')
  await page.clock.fastForward(60_000)
  await comesBack()
  await sees('Slept till seven.')
  assert.equal(await written(), 'Up at six, tired.')
  await tap('Use theirs')
  await misses('changed on another phone')
  await soon(async () => assert.equal(await written(), 'Slept till seven.'))
  await tap('Back')

  // The app is opened in a tunnel.
  await page.clock.fastForward(60_000)
  front.connected = false
  await page.reload()
  await sees('No record yet')
  await sees(OLD)
  assert.equal(await visible(OLD), 1)
  await tap('Edit the note')
  await type('Note', 'Slept till seven, cheerful.')
  await tap('Save')
  await sees('Saved on this phone.')
  await picture('notes-05-cold-start-offline')
  await tap('Calendar', 'tab')
  // The evening may be in the previous month; the month before that was never loaded.
  await tap('Previous month')
  await tap('Previous month')
  await sees('The service cannot be reached.')
  await page
    .getByRole('button', { name: /day, [A-Z][a-z]+ 1, not loaded$/ })
    .filter({ visible: true })
    .waitFor()
  await picture('notes-05-month-not-loaded')
  await tap('Next month')
  if (dateAtHome(evening).slice(0, 7) === dateAtHome(tomorrow).slice(0, 7)) await tap('Next month')
  await page
    .getByRole('button', { name: new RegExp(`^${formatFullDay(evening)}(,|$)`) })
    .filter({ visible: true })
    .click()
  await tap('Write a note')
  await type('Note', 'Fell asleep late.')
  await tap('Save')
  await sees('Saved on this phone.')
  await page.reload()
  await sees('Saved on this phone.')
  await sees('Notes on this phone only')
  await picture('notes-06-unsent')
  await page.getByRole('button', { name: /Waiting to be sent/ }).click()
  await soon(async () => assert.equal(await written(), 'Fell asleep late.'))
  await type('Note', 'Fell asleep at ten.')
  await tap('Save')
  await sees('Notes on this phone only')
  await other.write(dateAtHome(tomorrow), 'Slept till eight.')
  front.connected = true
  // This is longer than the outbox ever waits.
  await page.clock.fastForward(300_000)
  await misses('Notes on this phone only')
  await misses(OLD)
  assert.equal(await other.memo(dateAtHome(evening)), 'Fell asleep at ten.')

  // The waiting note was refused, because the other parent was quicker.
  await sees('Slept till eight.')
  await sees('Slept till seven, cheerful.')
  await picture('notes-07-refused')
  await tap('Save mine')
  await misses('Slept till eight.')
  assert.equal(await other.memo(dateAtHome(tomorrow)), 'Slept till seven, cheerful.')

  // The waiting note is refused for good, because the child has been deleted.
  front.connected = false
  await tap('Show Joon', 'radio')
  await tap('Write a note')
  await type('Note', 'Asleep at once.')
  await tap('Save')
  await sees('Saved on this phone.')
  await other.deleteChild('Joon')
  front.connected = true
  await comesBack()
  // The phone no longer shows the child, and still tells of the note.
  await page
    .getByRole('button', { name: /This note was not accepted\.$/ })
    .filter({ visible: true })
    .click()
  await sees('This child is no longer in your account.')
  await picture('notes-08-refused-for-good')
  await tap('Discard')
  await sees('It is on this phone only.')
  await tap('Discard')
  await misses('Asleep at once.')

  await tap('Settings', 'tab')
  await tap('Sign out')
  await sees('You are signed out.')
  await page.clock.runFor(2_000)
  const kept = await page.evaluate(() => JSON.stringify(window.localStorage))
  assert.doesNotMatch(kept, /Slept|Joon/)
}
