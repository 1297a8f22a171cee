import { useDevices } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Words } from '../ui/words'
import { summarizeUploads } from './uploads'

/** Says of a date that it has no record, and what is known of why: the log may not have arrived yet. */
export function NoRecord({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const devices = useDevices().data
  const uploads = devices && summarizeUploads(devices, childId)
  const isBefore = uploads && date < uploads.pairedAt.slice(0, 10)
  const isOver = uploads?.lastAt && date < uploads.lastAt.slice(0, 10)
  const mayCome = !devices || (uploads && !isBefore && !isOver)
  const says = [
    t.uploads.noRecord,
    mayCome ? t.uploads.mayCome : '',
    uploads && isBefore ? t.uploads.pairedAt(format.date(uploads.pairedAt.slice(0, 10))) : '',
    uploads?.lastAt && !isBefore ? `${t.uploads.last(format.moment(uploads.lastAt))}.` : '',
  ]
  return <Words tone="muted">{says.filter(Boolean).join(' ')}</Words>
}
