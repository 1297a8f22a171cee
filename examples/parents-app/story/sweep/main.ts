/*
 * Takes a picture of every screen of the app in both languages and themes and at every size, for people to look at:
 *
 *   node story/sweep/main.ts [ko-dark-320x2 …]
 *
 * The app is led through its screens once in each language; on each screen, the sizes and themes change. The pictures are
 * in `dist/story/sweep`, a folder for each combination. Fails when axe finds an issue, or when a text is cut off or a word torn apart.
 */
import { enoughOfToday } from '../home.ts'
import { openOtherPhone } from '../other-phone.ts'
import { onStage } from '../stage.ts'
import { selectWalks } from './combinations.ts'
import { CONSENT_VERSIONS, consents } from './consents.ts'
import { visitDemoFamily } from './demo-family.ts'
import { sweepNewFamily } from './new-family.ts'
import { offline } from './offline.ts'
import { runEachWalk } from './screen.ts'
import { signedOut } from './signed-out.ts'
import { updateDevices } from './update-devices.ts'

const dist = new URL('../../dist/', import.meta.url)
const asked = selectWalks(process.argv.slice(2))
const cut: string[] = []

await enoughOfToday()
await onStage(dist, (stage) =>
  runEachWalk(stage, asked, cut, async (walk) => {
    const demo = await openOtherPhone(stage.service.url)
    await signedOut(walk)
    await sweepNewFamily(walk, demo)
    await visitDemoFamily(walk)
    await offline(walk, await openOtherPhone(stage.service.url))
  }),
)
await onStage(dist, (stage) => runEachWalk(stage, asked, cut, consents), { CONSENT_VERSIONS })
await updateDevices(dist, asked, cut)
if (cut.length > 0) throw new Error(`Texts are cut off:\n${cut.join('\n')}`)
