import type { DevlogItem } from './item.ts'
import { createRandom } from './random.ts'

/** What is wrong with a new firmware. Everything is off by default: the firmware is good. */
export interface FirmwareIssues {
  /** Share of devices on which it cannot be installed; each reports `failed`. */
  failing?: number
  /** Share of devices that go back to the former one after the restart; each reports `rolled_back`. */
  rollingBack?: number
  /** Share of devices that are never heard of again once they run it. */
  silent?: number
  /** By how much the electrodes lose contact more often: 2 is twice as often. */
  contactLoss?: number
  /** By which share of its length each use is shorter. */
  shorter?: number
}

/** What becomes of an installation. */
export type InstallationOutcome = 'installed' | 'failed' | 'rolled_back' | 'silent'

/** How often a use ends by a lost contact without any issue. */
const USUAL_LOSSES = 0.1
const SAMPLE_SECONDS = 360

/** What a device makes of a firmware. The same seed, device and firmware give the same, however often it is tried. */
export function installationOf(
  issues: FirmwareIssues,
  seed: number,
  uniqueId: string,
  firmwareId: number,
): InstallationOutcome {
  const meets = (issue: string, rate = 0) => createRandom(seed, issue, uniqueId, firmwareId).chance(rate)
  if (meets('failing', issues.failing)) return 'failed'
  if (meets('rolling back', issues.rollingBack)) return 'rolled_back'
  return meets('silent', issues.silent) ? 'silent' : 'installed'
}

/** A use as it would have been under a new firmware. The seed and the start of the use decide which lose contact. */
export function applyFirmwareIssues(item: DevlogItem, issues: FirmwareIssues, seed: number): DevlogItem {
  const { detail_data: detail, unique_id } = item
  const seconds = Math.max(1, Math.round(detail.treatment_time * (1 - (issues.shorter ?? 0))))
  const intensities = item.intensity_record.slice(0, Math.ceil(seconds / SAMPLE_SECONDS))
  // Of those that would not have lost it, so many that all losses together are as many more.
  const rate = (USUAL_LOSSES * ((issues.contactLoss ?? 1) - 1)) / (1 - USUAL_LOSSES)
  const isLost = createRandom(seed, 'contact loss', unique_id, detail.treatment_date).chance(rate)
  return {
    ...item,
    detail_data: {
      ...detail,
      treatment_time: seconds,
      last_intensity: intensities.at(-1)?.intensity ?? 0,
      finish_flag: isLost ? '4' : detail.finish_flag,
    },
    intensity_record: intensities,
  }
}
