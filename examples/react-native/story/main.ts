import assert from 'node:assert/strict'
import { dateAtHome, enoughOfToday, lastNightDate } from '../../parents-app/story/home.ts'
import { openOtherPhone } from '../../parents-app/story/other-phone.ts'
import { soon } from '../../parents-app/story/soon.ts'
import { onStage } from '../../parents-app/story/stage.ts'

const DEVICE = 'de000000-0000-4000-8000-000000000003'

await enoughOfToday()
await onStage(new URL('../dist/', import.meta.url), async ({ service, front, tell }) => {
  // The other phone signs in first, so that the phone of the story stays signed in.
  const otherPhone = await openOtherPhone(service.url)
  const today = dateAtHome(new Date())
  const arrives = (memo: string) => soon(async () => assert.equal(await otherPhone.memo(today), memo))

  await tell({ locale: 'en-US', colorScheme: 'light' }, async (phone) => {
    const { page, tap, type, sees, misses, comesBack, settled, picture } = phone

    await type('E-mail', 'demo@example.com')
    await type('Password', 'not the password')
    await tap('Sign in')
    await sees('Password is invalid')
    await picture('01-wrong-password')
    await type('Password', 'demo-family-2026')
    await tap('Sign in')
    await sees('on average')

    await tap('Add a child')
    await type("Child's name", 'Hana')
    await type('Birth date, as 2018-02-03', '2018')
    await type('Serial code', 'DEMO-999')
    await type('Last 4 of the MAC address', 'd0a3')
    await type('Device ID', DEVICE)
    await tap('Add and pair')
    await sees('birthdate:')
    await type('Birth date, as 2018-02-03', '2018-02-03')
    await tap('Add and pair')
    await sees('No device has these codes.')
    await picture('02-pair')
    await type('Serial code', 'demo-003')
    await tap('Add and pair')
    await sees('Nights appear here')
    await service.simulate(
      'nights',
      '--unique-id',
      DEVICE,
      '--nights',
      '5',
      '--seed',
      '3',
      '--until',
      lastNightDate(),
    )
    await page.reload()
    await tap('Hana')
    // How many nights there are depends on the date: the simulated child misses one night in ten.
    await misses('Nights appear here')
    await sees('on average')
    await picture('03-chart')

    await tap('Mina')
    await type('How was the night?', 'Fell asleep quickly.')
    await tap('Save')
    await arrives('Fell asleep quickly.')
    await misses('Saved on this phone.')
    front.connected = false
    await type('How was the night?', 'Fell asleep quickly, slept through.')
    await tap('Save')
    await sees('Saved on this phone.')
    await picture('04-offline')
    assert.equal(await otherPhone.memo(today), 'Fell asleep quickly.')

    // The app is closed, and opened where there still is no connection.
    await page.reload()
    await sees('The service cannot be reached.')
    front.connected = true
    await tap('Try again')
    await sees('on average')
    await arrives('Fell asleep quickly, slept through.')
    await misses('Saved on this phone.')

    // However late the day is read again after a note was sent, the field never shows what the day said before.
    const memo = page.getByLabel('How was the night?')
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    front.connected = false
    await type('How was the night?', 'Slept till six.')
    await tap('Save')
    await sees('Saved on this phone.')
    await page.route('**/calendar.readDay*', async (route) => {
      asked.resolve()
      await answered.promise
      await route.continue()
    })
    front.connected = true
    await comesBack()
    await arrives('Slept till six.')
    await asked.promise
    await settled()
    assert.equal(await memo.inputValue(), 'Slept till six.')
    answered.resolve()
    await misses('Saved on this phone.')
    assert.equal(await memo.inputValue(), 'Slept till six.')

    front.connected = false
    await type('How was the night?', 'Slept till seven.')
    await tap('Save')
    await sees('Saved on this phone.')
    await otherPhone.write(today, 'Had a fever at five.')
    front.connected = true
    await comesBack()
    await sees('The service has “Had a fever at five.”')
    await picture('05-conflict')
    await tap('Save')
    await arrives('Slept till seven.')
    await misses('The service has')

    await tap('Sign out')
    await sees('Sign in to Companion')
  })
})
