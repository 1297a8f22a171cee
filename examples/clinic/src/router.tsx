import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { ChildPage } from './child/child-page'
import { readListAddress } from './list/list-address'
import { ListPage } from './list/list-page'
import { CodePage } from './members/code-page'
import { MembersPage } from './members/members-page'
import { PasskeysPage } from './passkeys/passkeys-page'
import { PageBroken, PageNotFound } from './shell/fallbacks'
import { FirstClinic } from './shell/first-clinic'
import { InvitationPage } from './shell/invitation-page'
import { Layout } from './shell/layout'
import { SignedIn } from './shell/signed-in'

const root = createRootRoute({ component: Layout })
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: InvitationPage })
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn })
const first = createRoute({ getParentRoute: () => signedIn, path: '/', component: FirstClinic })
const clinic = createRoute({
  getParentRoute: () => signedIn,
  path: '$clinicId',
  params: { parse: ({ clinicId }) => ({ clinicId: Number(clinicId) }) },
})
const list = createRoute({
  getParentRoute: () => clinic,
  path: '/',
  validateSearch: readListAddress,
  component: ListPage,
})
const child = createRoute({
  getParentRoute: () => clinic,
  path: 'child/$childId',
  params: { parse: ({ childId }) => ({ childId: Number(childId) }) },
  component: ChildPage,
})
const members = createRoute({ getParentRoute: () => clinic, path: 'members', component: MembersPage })
const code = createRoute({ getParentRoute: () => clinic, path: 'code', component: CodePage })
// Below a clinic, so that its navigation stays.
const passkeys = createRoute({ getParentRoute: () => clinic, path: 'passkeys', component: PasskeysPage })

export const router = createRouter({
  routeTree: root.addChildren([
    invitation,
    signedIn.addChildren([first, clinic.addChildren([list, child, members, code, passkeys])]),
  ]),
  basepath: '/clinic',
  defaultErrorComponent: PageBroken,
  defaultNotFoundComponent: PageNotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
