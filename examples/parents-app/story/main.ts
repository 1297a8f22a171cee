import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clinician } from './clinician.ts'
import { CONSENT_VERSIONS, consents, consentsInKorean } from './consents.ts'
import { connectedApps } from './connected-apps.ts'
import { demoFamily } from './demo-family.ts'
import { enoughOfToday } from './home.ts'
import { handingOver } from './handing-over.ts'
import { writeLabelVideo } from './label-film.ts'
import { newFamily } from './new-family.ts'
import { nightsAndPlan } from './nights-and-plan.ts'
import { notes } from './notes.ts'
import { openedLinks } from './opened-links.ts'
import { openOtherPhone } from './other-phone.ts'
import { LABEL, scan } from './scan.ts'
import { sharing } from './sharing.ts'
import { smallPhone } from './small-phone.ts'
import { onStage } from './stage.ts'
import { selectWalks } from './sweep/combinations.ts'
import { clinic } from './sweep/clinic.ts'
import { signIn } from './sweep/demo-family.ts'
import { runEachWalk } from './sweep/screen.ts'
import { updateDevices } from './sweep/update-devices.ts'
import { tablet } from './tablet.ts'

await enoughOfToday()
await onStage(new URL('../dist/', import.meta.url), async (stage) => {
  const { service, front, tell } = stage
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => newFamily(phone, service, front))
  const small = { locale: 'en-US', viewport: { width: 320, height: 568 } } as const
  await tell({ ...small, colorScheme: 'dark' }, (phone) => smallPhone(phone, 'small'))
  await tell({ ...small, colorScheme: 'light', letters: 2 }, (phone) => smallPhone(phone, 'large'))
  const large = { locale: 'ko-KR', viewport: { width: 820, height: 1180 } } as const
  await tell({ ...large, colorScheme: 'dark' }, (phone) => tablet(phone, service))
  await tell({ locale: 'ko-KR', colorScheme: 'dark' }, (phone) => demoFamily(phone, service))
  await service.companion('account', 'unblock', 'demo@example.com')
  // The other phone signs in first, so that the phone of the story stays signed in.
  const otherPhone = await openOtherPhone(service.url)
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => nightsAndPlan(phone, service, front))
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => sharing(stage, phone, otherPhone))
  await tell({ locale: 'en-US', colorScheme: 'dark' }, (phone) => notes(phone, otherPhone, front))
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => connectedApps(phone, service))
  const lastPhone = await openOtherPhone(service.url)
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => clinician(stage, phone, lastPhone))
})
await onStage(
  new URL('../dist/', import.meta.url),
  ({ tell }) => tell({ locale: 'en-US', colorScheme: 'light' }, consents),
  { CONSENT_VERSIONS },
)
await onStage(
  new URL('../dist/', import.meta.url),
  ({ tell }) => tell({ locale: 'ko-KR', colorScheme: 'dark' }, consentsInKorean),
  { CONSENT_VERSIONS },
)
await onStage(new URL('../dist/', import.meta.url), (stage) =>
  stage.tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => handingOver(stage, phone)),
)
const film = join(await mkdtemp(join(tmpdir(), 'companion-film-')), 'label.y4m')
await writeLabelVideo(film, LABEL)
await onStage(
  new URL('../dist/', import.meta.url),
  async ({ service, tell }) => {
    await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => scan(phone, service, film))
    await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => openedLinks(phone, service))
  },
  {},
  film,
)
await rm(dirname(film), { recursive: true })
const cut: string[] = []
const both = selectWalks(['en-light-390', 'ko-dark-320'])
await updateDevices(new URL('../dist/', import.meta.url), both, cut)
await onStage(new URL('../dist/', import.meta.url), (stage) =>
  runEachWalk(stage, both, cut, async (visit) => {
    await signIn(visit)
    await visit.tap(visit.t.tabs.settings, 'tab')
    await clinic(visit)
  }),
)
if (cut.length > 0) throw new Error(`Texts are cut off:\n${cut.join('\n')}`)
