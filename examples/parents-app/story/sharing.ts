import assert from 'node:assert/strict'
import { dateAtHome } from './home.ts'
import type { OtherPhone } from './other-phone.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'

/** A parent shares a child with the other parent, on a phone of their own. */
export async function sharing(
  { service, front, tell }: Stage,
  owner: Phone,
  other: OtherPhone,
): Promise<void> {
  const { tap, sees, picture } = owner
  await signIn(owner)
  await showPeople(owner)
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
    await other.write(dateAtHome(new Date()), 'Woke at four.')
    await father.tap('Save')
    await father.sees('changed on another phone')
    await father.sees('Woke at four.')
    await father.tap('Save mine')
    await father.misses('Woke at four.')
    await father.sees('Slept through.')
    assert.equal(await other.memo(dateAtHome(new Date())), 'Slept through.')

    await father.tap('Settings', 'tab')
    await father.tap('Children and devices')
    await father.sees('A guardian sees everything')
    assert.equal(await visible(father, 'Unpair'), 0)
    assert.equal(await visible(father, 'Edit Mina'), 0)
    assert.equal(await visible(father, 'People with access to'), 0)
    await father.picture('sharing-05-shared-child')
  })

  await owner.page.reload()
  await showPeople(owner)
  await sees('Park Minho')
  await sees('wrote a note')
  await picture('sharing-06-people')
  // The story of the notes begins with an empty day.
  await other.write(dateAtHome(new Date()), '')
}

export async function signIn({ type, tap, sees }: Phone): Promise<void> {
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
}

/** Opens the screen of the people who have access to the first child. */
export async function showPeople({ tap }: Phone): Promise<void> {
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('People with access to Mina')
}

export const visible = ({ page }: Phone, text: string) =>
  page.getByText(text).filter({ visible: true }).count()

export interface NewAccount {
  name: string
  email: string
  /** A number in the USA. */
  phone: string
}

export async function signUp(
  { tap, type, sees }: Phone,
  service: Service,
  { name, email, phone }: NewAccount,
): Promise<void> {
  await tap('Create an account')
  await type('Phone number', phone)
  await tap('Send the code')
  await sees('We sent 6 digits')
  await type('Code', await service.smsCode(`+1${phone}`))
  await sees('About you')
  await type('Full name', name)
  await type('Birth date', '1984-05-06')
  await type('E-mail', email)
  await type('Password', 'correct horse battery')
  await tap('Create the account')
}
