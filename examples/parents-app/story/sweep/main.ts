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
import type { Stage } from '../stage.ts'
import { walks } from './combinations.ts'
import type { Walk } from './combinations.ts'
import { CONSENT_VERSIONS, consents } from './consents.ts'
import { demoFamily } from './demo-family.ts'
import { newFamily } from './new-family.ts'
import { offline } from './offline.ts'
import { visit } from './screen.ts'
import type { Visit } from './screen.ts'
import { signedOut } from './signed-out.ts'
import { updateDevices } from './update-devices.ts'

const dist = new URL('../../dist/', import.meta.url)
const asked = walks(process.argv.slice(2))
const cut: string[] = []

/** Tells a part of each walk, on phones of their own. */
async function mergedMetrics(
  { service, front, tell }: Stage,
  part: (visit: Visit) => Promise<void>,
): Promise<void> {
  for (const walk of asked)
    await tell(first(walk), (phone) => part(visit(phone, walk, { service, front, cut })))
}

function first({ combinations: [one] }: Walk) {
  if (!one) throw new Error('A walk without combinations')
  return one.surroundings
}

await enoughOfToday()
await onStage(dist, (stage) =>
  mergedMetrics(stage, async (walk) => {
    const demo = await openOtherPhone(stage.service.url)
    await signedOut(walk)
    await newFamily(walk, demo)
    await demoFamily(walk)
    await offline(walk, await openOtherPhone(stage.service.url))
  }),
)
await onStage(dist, (stage) => mergedMetrics(stage, consents), { CONSENT_VERSIONS })
await updateDevices(dist, asked, cut)
if (cut.length > 0) throw new Error(`Texts are cut off:\n${cut.join('\n')}`)
