import type { UsageRecord } from '../nights/record'
import { HelpLink } from './help-link'

/** What can be done about how uses ended, one line for each kind of end. A use that was completed needs none beside others. */
export function EndOfNight({ records }: { records: readonly UsageRecord[] }) {
  const ends = [...new Set(records.flatMap(({ ended }) => ended ?? []))]
  const worthALine = ends.length > 1 ? ends.filter((end) => end !== '1') : ends
  return worthALine.map((end) => <HelpLink key={end} topic={end} />)
}
