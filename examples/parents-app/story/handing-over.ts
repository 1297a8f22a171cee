import { showPeople, signIn, signUp } from './sharing.ts'
import type { Phone } from './phone.ts'
import type { Stage } from './stage.ts'

const FATHER = { name: 'Park Minho', email: 'father@example.com', phone: '2125550147' }

/** A parent hands a child over to the other one, who deletes it; a second child is no longer shared. */
export async function handingOver({ service, front, tell }: Stage, owner: Phone): Promise<void> {
  const { tap, type, sees, misses, picture, page } = owner
  await signIn(owner)
  await showPeople(owner)
  await type('E-mail', FATHER.email)
  await tap('Send the invitation')
  await sees(`We sent an invitation to ${FATHER.email}.`)
  const link = new URL(await service.mailedLink(FATHER.email))
  await tell({ locale: 'en-US', colorScheme: 'dark' }, async (father) => {
    await father.page.goto(`${front.url}/invitation${link.search}`)
    await signUp(father, service, FATHER)
    await father.sees('Paste the code or the link')
    await father.tap('Accept')
    await father.sees('Shared with you as guardian')

    await page.reload()
    await showPeople(owner)
    await tap('Hand Mina over to Park Minho')
    await sees('You stay as a guardian')
    await type('Current password', 'not the password')
    await tap('Offer to hand over')
    await sees('Wrong password.')
    await picture('handing-01-offer')
    await type('Current password', 'demo-family-2026')
    await tap('Offer to hand over')
    await sees('We sent a mail to Park Minho')
    await tap('Back')
    await sees('Handing over is offered')
    await picture('handing-02-offered')

    await father.page.reload()
    await father.tap('Today', 'tab')
    await father.sees('Kim Jiyoung wants to hand Mina over to you')
    await father.tap('Decline')
    await father.sees('Decline? Kim Jiyoung stays the owner')
    await father.picture('handing-03-asked')
    await father.tap('Cancel')
    await father.tap('Accept the child')
    await father.misses('wants to hand Mina over to you')
    await father.tap('Settings', 'tab')
    await father.tap('Children and devices')
    await father.tap('Edit Mina')
    await father.tap('Delete the child')
    await father.sees('Kim Jiyoung · Guardian of Mina')
    await father.sees('Hand Mina over to Kim Jiyoung')
    await father.type('Current password', 'correct horse battery')
    await father.picture('handing-04-delete')

    await page.reload()
    await sees('Shared with you as guardian')
    await keeps(owner, SHARED)
    await father.tap('Delete the child')
    await father.sees('Welcome')
    await page.reload()
    await tap('Today', 'tab')
    await sees('Mina was deleted with all records.')
    await picture('handing-05-deleted')
    await tap('OK')
    await misses('Mina was deleted')
    await keeps(owner, TOLD)
    await page.reload()
    await sees('Last night')
    await misses('Mina was deleted')

    // Joon is shared, and then no longer.
    await tap('Settings', 'tab')
    await tap('Children and devices')
    await tap('People with access to Joon')
    await type('E-mail', FATHER.email)
    await tap('Send the invitation')
    await sees(`We sent an invitation to ${FATHER.email}.`)
    const again = new URL(await service.mailedLink(FATHER.email))
    await father.page.goto(`${front.url}/invitation${again.search}`)
    await father.tap('Accept')
    await father.sees('Shared with you as guardian')
    await father.sees('Last night')
    await keeps(father, SHARED)
    await page.reload()
    await tap('Settings', 'tab')
    await tap('Delete the account')
    await sees('Park Minho · Guardian of Joon')
    await picture('handing-06-delete-account')
    await tap('Back')
    await tap('Children and devices')
    await tap('People with access to Joon')
    await tap('End the access')
    await sees('End the access of Park Minho?')
    await tap('End the access')
    await sees('Nobody but you.')
    await father.page.reload()
    await father.tap('Today', 'tab')
    await father.sees('The sharing of Joon has ended.')
    await father.sees('No child here any more')
    await father.picture('handing-07-ended')
  })
}

/** A phone that sees a child of somebody else. */
const SHARED = '"known":[{'
/** A phone whose parent has been told of every child that is no longer there. */
const TOLD = '"lost":[]'

/** Waits until the phone has written `text` for its next start, which it does at most once a second. */
const keeps = ({ page }: Phone, text: string) =>
  page.waitForFunction((each) => localStorage.getItem('companion-answers')?.includes(each), text)
