import { createCompanion, memoryStorage, safe } from '@companion/sdk'
import { expect, test } from 'vitest'
import { companion as command } from '../support/command.ts'
import {
  addChild,
  addDevice,
  anyEmail,
  anyPhone,
  childProfile,
  devlogItem,
  PASSWORD,
  signUp,
  upload,
} from '../support/family.ts'
import { addService, connect, createBrowser } from '../support/oauth.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'
import { socialClaims, socialSignIn, socialSignUp } from '../support/outside/social.ts'
import { temporaryFile } from '../support/temporary-file.ts'

/*
 * Two spellings of one identity meet, or one of them is refused, at every door: REST is tried by the tests of the operations,
 * numbers by `phone-spelling.test.ts`; here are tRPC, by the SDK, and the pages, imports and commands.
 */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

const profile = { ...childProfile, gender: 'F' } as const
const openApp = () => createCompanion({ baseUrl: server.url, storage: memoryStorage() })

/** What a call of the SDK was refused with. */
async function detailOf(call: Parameters<typeof safe>[0]): Promise<unknown> {
  const [, error] = await safe(call)
  return Reflect.get(Object(Reflect.get(Object(error), 'data')), 'detail')
}

test('an address in both cases is one: over tRPC, on the consent page, in imports and commands', async () => {
  const { id, email } = await signUp(server)
  const loud = email.toUpperCase()
  const app = openApp()
  expect(await app.auth.signIn({ username: loud, password: PASSWORD })).toMatchObject({ id })
  expect(await app.auth.requestPasswordReset({ email: loud })).toMatchObject({ statusCode: 200 })
  const other = await signUp(server)
  const theirs = openApp()
  await theirs.auth.signIn({ username: other.email, password: PASSWORD })
  expect(await detailOf(theirs.account.changeEmail({ email: loud, password: PASSWORD }))).toBe(
    'Same email is already registered',
  )

  const { authorizeUrl } = await connect(server, await addService(server))
  const browser = createBrowser(server.url)
  const { location } = await browser.ask(await authorizeUrl())
  const signedIn = await browser.ask(location, { email: loud, password: PASSWORD, action: 'go' })
  expect(signedIn.status).toBe(303)

  const file = await temporaryFile('accounts.csv', `email\n${loud}\n${email}\n`)
  expect((await command(server, 'account', 'import', file, '--json')).result).toMatchObject({
    added: 0,
    existing: 2,
  })
  expect((await command(server, 'account', 'show', loud, '--json')).result).toMatchObject({
    root_user_id: id,
  })
  expect(await command(server, 'account', 'change-email', String(other.id), '--email', loud)).toMatchObject({
    code: 1,
    said: expect.stringContaining('Another account has this e-mail address'),
  })
})

test('a number has one spelling over tRPC too', async () => {
  const { phone, email } = await signUp(server)
  const spelling = phone.replace('+82', '+820')
  const app = openApp()
  await app.auth.signIn({ username: email, password: PASSWORD })
  const wrong = { phone: spelling, validnum: '000000' }
  const calls = [
    app.auth.sendSmsCode({ phone: spelling }),
    app.auth.verifyPhone(wrong),
    app.auth.findAccount(wrong),
    app.account.changePhone(wrong),
  ]
  expect(new Set(await Promise.all(calls.map(detailOf)))).toEqual(new Set(['Phone number is invalid']))
})

test('an id of a device in both cases is one: over tRPC, in imports and commands', async () => {
  const parent = await signUp(server)
  const device = await addDevice(server)
  const loud = device.unique_id.toUpperCase()
  const app = openApp()
  await app.auth.signIn({ username: parent.email, password: PASSWORD })
  const child = await app.children.create({ ...profile, ...device, unique_id: loud })
  expect(child.unique_id).toBe(device.unique_id)

  const { serial_code, mac_id, unique_id } = device
  const options = ['--serial-code', serial_code, '--mac-id', mac_id, '--unique-id', loud, '--json']
  expect((await command(server, 'device', 'add', ...options)).result).toMatchObject({ unique_id })
  const lines = `serial_code,mac_id,unique_id\n${serial_code},${mac_id},${loud}\n`
  const file = await temporaryFile('devices.csv', lines)
  expect((await command(server, 'device', 'import', file, '--json')).result).toMatchObject({
    added: 0,
    existing: 1,
  })
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')])
  await app.devlogs.delete({ unique_id: loud })
  expect(await command(server, 'devlog', 'restore', '--unique-id', loud)).toMatchObject({ code: 0 })
})

test('a serial code has one spelling: over tRPC, in imports and commands', async () => {
  const parent = await signUp(server)
  const { serial_code, mac_id, unique_id } = await addDevice(server)
  const quiet = serial_code.toLowerCase()
  const app = openApp()
  await app.auth.signIn({ username: parent.email, password: PASSWORD })
  const codes = { serial_code: quiet, mac_id, unique_id }
  expect(await detailOf(app.children.create({ ...profile, ...codes }))).toBe('Serial code is not valid')
  const file = await temporaryFile(
    'devices.csv',
    `serial_code,mac_id,unique_id\n${quiet},${mac_id},${unique_id}\n`,
  )
  expect((await command(server, 'device', 'import', file, '--json')).result).toMatchObject({
    added: 0,
    bad_lines: [{ line: 2, reason: expect.stringContaining('serial_code') }],
  })
  expect((await command(server, 'device', 'show', quiet)).code).toBe(1)
  const options = ['--serial-code', quiet, '--mac-id', mac_id, '--unique-id', unique_id]
  expect(await command(server, 'device', 'add', ...options)).toMatchObject({
    code: 1,
    said: expect.stringContaining('--serial-code'),
  })
})

test('the subject of a social identity and the id of a service are compared sign by sign', async () => {
  const claims = socialClaims(provider, { sub: 'Subject-Ä' })
  const first = await socialSignUp(server, await provider.forge(claims))
  expect((await socialSignIn(server, await provider.forge(claims))).body.id).toBe(first.body.id)
  for (const sub of ['subject-ä', 'SUBJECT-Ä', 'Subject-Ä'.normalize('NFD'), ' Subject-Ä'])
    expect(await socialSignIn(server, await provider.forge({ ...claims, sub }))).toMatchObject({
      status: 404,
    })

  const added = await addService(server)
  const loud = { ...added, client_id: added.client_id.toUpperCase() }
  expect(loud.client_id).not.toBe(added.client_id)
  const { authorizeUrl } = await connect(server, loud)
  expect((await createBrowser(server.url).ask(await authorizeUrl())).status).toBe(400)
  expect(await command(server, 'client', 'show', loud.client_id)).toMatchObject({ code: 1 })
})

test('what was deleted stays taken in the other case', async () => {
  const { phone, email, token } = await signUp(server)
  await addChild(server, token)
  await server.delete('/api/v1/beta/user/root-user', { token })
  const file = await temporaryFile(
    'accounts.csv',
    `email,phone\n${email.toUpperCase()},${anyPhone()}\n${anyEmail()},${phone}\n`,
  )
  expect((await command(server, 'account', 'import', file, '--json')).result).toMatchObject({
    added: 0,
    bad_lines: [{ line: 2 }, { line: 3 }],
  })
  expect(await detailOf(openApp().auth.signIn({ username: email.toUpperCase(), password: PASSWORD }))).toBe(
    'User is Deleted',
  )
})
