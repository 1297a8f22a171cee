import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { child, childItem, childKey, forgetInLists, insight, memberships } from '../companion/queries'
import { isAccessEnded, queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { Flags } from '../list/flags'
import { useListState } from '../list/list-state'
import { AccessEnded } from '../shell/access-ended'
import { Failure, Loading, Part, Problem } from '../shell/states'
import { useShortcuts } from '../shell/use-shortcuts'
import { useTitle } from '../shell/use-title'
import { ageOn, today } from '../time/dates'
import { Calendar } from './calendar'
import { EndConnection } from './end-connection'
import { fullName } from './full-name'
import { Nights } from './nights-section'
import { RecordNumberForm } from './record-number-form'
import { PlanSection } from './plan-section'
import { ReportButton } from './report-button'
import { Surveys } from './surveys'
import { Week } from './week'

const route = getRouteApi('/signed-in/$clinicId/child/$childId')

/** For this long the child, which is asked for over and over, may fail to arrive before that is said. */
const OLD_AFTER_MS = 5_000

/** All that a clinic may see of a child. */
export function ChildPage() {
  const { clinicId, childId } = route.useParams()
  const { t, format } = useWords()
  const navigate = useNavigate()
  const { change } = useListState()
  const { data, dataUpdatedAt, error, errorUpdatedAt, refetch } = useQuery(child(childId))
  // The child whose connection the caller has ended here.
  const [endedId, setEndedId] = useState<number>()
  const isOwnEnd = endedId === childId
  const isEnded = isOwnEnd || (error !== null && isAccessEnded(error))
  const place = useQuery({ ...childItem(clinicId, childId), enabled: !isEnded })
  const item = place.data
  const days = useQuery({ ...insight(childId), enabled: !isEnded })
  useTitle(t.nav.children)
  useShortcuts({
    Escape: () => void navigate({ to: '/$clinicId', params: { clinicId } }),
  })
  useEffect(() => change({ opened: childId }), [change, childId])
  const heading = useRef<HTMLHeadingElement>(null)
  const isThere = data !== undefined
  useEffect(() => {
    // The link that had the focus is gone.
    if (isThere) heading.current?.focus()
  }, [isThere])
  useEffect(() => {
    if (!isEnded) return
    // Nothing of it stays in memory.
    queryClient.removeQueries({ queryKey: childKey(childId), type: 'inactive' })
    forgetInLists(clinicId, childId)
    // Or the caller no longer works in the clinic, which the page around this one says.
    void queryClient.invalidateQueries({ queryKey: memberships.queryKey })
  }, [isEnded, childId, clinicId])

  if (isEnded) return <AccessEnded of={isOwnEnd ? 'connection' : 'child'} clinicId={clinicId} />
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
  const name = fullName(data)
  const age = ageOn(today(), data.birthdate)
  const born = data.birthdate.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
  const { gender } = data
  const about = [
    age && t.child[age.unit](age.count),
    /^\d{4}-\d{2}-\d{2}$/.test(born) && t.child.born(format.date(born)),
    t.child.genders[gender],
  ]
  return (
    <main id="content" className="child">
      <div className="heading">
        <Link className="no-print" to="/$clinicId" params={{ clinicId }}>
          ← {t.child.back}
        </Link>
        <h1 ref={heading} tabIndex={-1}>
          {name}
        </h1>
        <p>{about.filter(Boolean).join(', ')}</p>
        {item && item.flags.length > 0 && <Flags flags={item.flags} />}
        <div className="actions no-print">
          <ReportButton key={childId} childId={childId} name={name} />
          <button type="button" className="quiet" onClick={() => print()}>
            {t.print}
          </button>
          {item?.connection_id !== undefined && (
            <EndConnection
              connectionId={item.connection_id}
              name={name}
              onEnded={() => setEndedId(childId)}
            />
          )}
        </div>
      </div>
      {error && errorUpdatedAt - dataUpdatedAt >= OLD_AFTER_MS && (
        <Problem error={error} isOld onRetry={() => void refetch()} />
      )}
      {place.error && (
        <Problem error={place.error} isOld={item !== undefined} onRetry={() => void place.refetch()} />
      )}
      {item && <RecordNumberForm key={childId} clinicId={clinicId} item={item} />}
      <Part query={days}>
        {(found) => (
          <>
            <Week insight={found} />
            <Nights childId={childId} today={found.current_date} />
            <Calendar childId={childId} today={found.current_date} />
            <PlanSection clinicId={clinicId} childId={childId} today={found.current_date} />
          </>
        )}
      </Part>
      <Surveys childId={childId} />
    </main>
  )
}
