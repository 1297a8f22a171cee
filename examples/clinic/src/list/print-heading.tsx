import { useQuery } from '@tanstack/react-query'
import { memberships } from '../companion/queries'
import { useWords } from '../i18n/language'
import { dateOf } from '../time/dates'
import { useListState } from './list-state'

/** What a printed list is of, which the parts of the page that are not printed say on the screen. */
export function PrintHeading({ clinicId, total, readAt }: { clinicId: number; total: number; readAt: Date }) {
  const { t, format } = useWords()
  const { flag, search } = useListState().state
  const { data: clinics } = useQuery(memberships)
  const parts = [
    clinics?.find(({ clinic_id }) => clinic_id === clinicId)?.name,
    flag === undefined ? t.list.all : t.flags[flag],
    search && `${t.list.search}: ${search}`,
    t.list.total(total),
    format.date(dateOf(readAt)),
  ]
  return <p className="print-only">{parts.filter(Boolean).join(' · ')}</p>
}
