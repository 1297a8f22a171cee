/** What a release is judged by, as the function `firmware_figures` counts it. Medians are in seconds, null without a night. */
export interface ReleaseFigures {
  offered: number
  loaded: number
  installed: number
  /** Reports `failed`, `refused` and `rolled_back`. */
  failed: number
  /** Those, and the devices that have installed. */
  reports: number
  /** Devices that have reported a final outcome, or have installed. */
  judged_devices: number
  silent: number
  /** Devices that could be silent by now: they installed more than 3 days ago, and had uploaded in the 7 days before. */
  could_be_silent: number
  /** Devices with a used night since they installed. */
  devices_after: number
  nights_before: number
  losses_before: number
  median_before: number | null
  nights_after: number
  losses_after: number
  median_after: number | null
  others_before: number
  others_losses_before: number
  others_median_before: number | null
  others_after: number
  others_losses_after: number
  others_median_after: number | null
}

/** Beyond these a release stops. Shares are from 0 to 1. */
export interface StopBounds {
  stop_failed: number
  stop_silent: number
  stop_contact_loss: number
  stop_shorter: number
  /** Devices that must have reported or installed before anything is judged. */
  fewest: number
}

export type StopReason = 'failed' | 'silent' | 'contact-loss' | 'shorter'

/** Why a release stops: the reason, and the same in words. */
export interface StopVerdict {
  reason: StopReason
  detail: string
}

/** The four ratios that are compared with the bounds; null while nothing is known. */
export interface ReleaseRatios {
  failed: number | null
  silent: number | null
  contact_loss: number | null
  shorter: number | null
}

/** Standard errors by which contact losses must have risen: few losses vary much by chance alone. */
const CLEAR = 3

const shareOf = (part: number, whole: number) => (whole === 0 ? null : part / whole)

/** By how much losses per night have changed. Half a loss is added, so that none before is no division by zero. */
const lossRatio = (after: { losses: number; nights: number }, before: { losses: number; nights: number }) =>
  (after.losses + 0.5) / after.nights / ((before.losses + 0.5) / before.nights)

function contactLoss(figures: ReleaseFigures): { ratio: number; least: number } | null {
  const after = { losses: figures.losses_after, nights: figures.nights_after }
  const before = { losses: figures.losses_before, nights: figures.nights_before }
  if (after.nights === 0 || before.nights === 0) return null
  const own = lossRatio(after, before)
  const othersAfter = { losses: figures.others_losses_after, nights: figures.others_after }
  const othersBefore = { losses: figures.others_losses_before, nights: figures.others_before }
  // Without others, as in the last step, a child's own nights before are all there is.
  const hasOthers = othersAfter.nights > 0 && othersBefore.nights > 0
  const ratio = hasOthers ? own / lossRatio(othersAfter, othersBefore) : own
  const counts = [after, before, ...(hasOthers ? [othersAfter, othersBefore] : [])]
  const error = Math.sqrt(counts.reduce((sum, { losses }) => sum + 1 / (losses + 0.5), 0))
  return { ratio, least: ratio * Math.exp(-CLEAR * error) }
}

function shorterNights(figures: ReleaseFigures): number | null {
  const { median_after, median_before, others_median_after, others_median_before } = figures
  if (median_after === null || !median_before) return null
  const own = median_after / median_before
  return (
    1 -
    (others_median_after && others_median_before ? own / (others_median_after / others_median_before) : own)
  )
}

export const ratiosOf = (figures: ReleaseFigures): ReleaseRatios => ({
  failed: shareOf(figures.failed, figures.reports),
  silent: shareOf(figures.silent, figures.could_be_silent),
  contact_loss: contactLoss(figures)?.ratio ?? null,
  shorter: shorterNights(figures),
})

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/**
 * Says why a release must stop, in words; undefined while it may go on. Nights are judged once `fewest` devices have had twice as
 * many: the middle of a handful of nights says nothing.
 */
export function verdictOf(figures: ReleaseFigures, bounds: StopBounds): StopVerdict | undefined {
  if (figures.judged_devices < bounds.fewest) return undefined
  const { failed, silent, shorter } = ratiosOf(figures)
  if (failed !== null && failed > bounds.stop_failed)
    return {
      reason: 'failed',
      detail: `${figures.failed} of ${figures.reports} final reports were failed, refused or rolled back: ${percent(failed)}, above ${percent(bounds.stop_failed)}`,
    }
  if (figures.could_be_silent >= bounds.fewest && silent !== null && silent > bounds.stop_silent)
    return {
      reason: 'silent',
      detail: `${figures.silent} of ${figures.could_be_silent} devices that had uploaded in the week before have not uploaded in the three days or more since they installed: ${percent(silent)}, above ${percent(bounds.stop_silent)}`,
    }
  if (figures.devices_after < bounds.fewest || figures.nights_after < 2 * bounds.fewest) return undefined
  const losses = contactLoss(figures)
  if (losses && losses.ratio > bounds.stop_contact_loss && losses.least > 1)
    return {
      reason: 'contact-loss',
      detail: `contact is lost ${losses.ratio.toFixed(2)} times as often in a night as in the 14 nights before the installation, measured against the other devices: above ${bounds.stop_contact_loss}`,
    }
  if (shorter !== null && shorter > bounds.stop_shorter)
    return {
      reason: 'shorter',
      detail: `the median night is ${percent(shorter)} shorter than in the 14 nights before the installation, measured against the other devices: more than ${percent(bounds.stop_shorter)}`,
    }
  return undefined
}
