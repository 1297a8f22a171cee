import { HelpLink } from '../help/help-link'
import { useLanguage } from '../i18n/language'
import { addDays, wallClock } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Card } from '../ui/card'
import { Steps } from '../ui/steps'
import { Words } from '../ui/words'
import { isSilent } from './insight'
import type { MissingNights } from './insight'

interface MissingNightProps {
  /** The morning after the night. */
  date: CalendarDate
  /** Undefined if no device was connected on the evening, or if that is not known. */
  missing: MissingNights | undefined
  isPaused: boolean
  /** The nights without a record up to this one. */
  silent: number
}

/** Says that last night has no record yet, what is known of why, and what a parent can do. Nobody knows whether the device was worn. */
export function MissingNight({ date, missing, isPaused, silent }: MissingNightProps) {
  const { t, format } = useLanguage()
  const { last_upload_at: last, reason } = missing ?? {}
  const isWorrying = reason === 'nothing_arrived' && isSilent(silent) && !isPaused
  const said =
    reason === 'other_logs_arrived'
      ? t.missing.otherLogs
      : reason === 'nothing_arrived'
        ? last
          ? t.missing.nothingSince(format.moment(wallClock(new Date(last))))
          : t.missing.nothingYet
        : t.uploads.mayCome
  const steps =
    reason === undefined || isPaused
      ? []
      : reason === 'other_logs_arrived'
        ? t.missing.afterOtherLogs
        : isWorrying
          ? [...t.missing.afterNothing, t.missing.askForHelp]
          : t.missing.afterNothing
  return (
    <Card title={t.today.lastNight} aside={format.night(addDays(date, -1))}>
      <Words kind="title" role="none">
        {t.missing.noRecordYet}
      </Words>
      {isPaused ? <Words tone="muted">{t.missing.paused}</Words> : null}
      {isWorrying ? (
        <Words kind="label" tone="danger">
          {t.missing.silent(silent)}
        </Words>
      ) : null}
      <Words tone="muted">{said}</Words>
      <Steps steps={steps} />
      {steps.length > 0 ? <HelpLink topic="missing" /> : null}
    </Card>
  )
}
