import { errorResponseOf } from '@companion/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import type { ClinicChild } from './clinic-child'
import { fullName } from '../child/full-name'
import { children } from '../companion/queries'
import { isAccessEnded } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { AccessEnded } from '../shell/access-ended'
import { Problem } from '../shell/states'
import { useShortcuts } from '../shell/use-shortcuts'
import { useTitle } from '../shell/use-title'
import { ChildTable } from './child-table'
import { Filters } from './filters'
import { FlagLegend } from './flags'
import { useListAddress } from './list-address'
import { useListState } from './list-state'
import { focusChild, focusedChild, moveFocus } from './move-focus'
import { PrintHeading } from './print-heading'
import type { Mark } from './use-mark-seen'

const LIMIT = 50
const route = getRouteApi('/signed-in/$clinicId/')

/** The children of a clinic; those who need a call come first. */
export function ListPage() {
  const { clinicId } = route.useParams()
  const { t } = useWords()
  const router = useRouter()
  const { state, change, marks, markSeen } = useListState()
  const { flag, sort, search, cursors, opened } = state
  const query = useQuery(
    children({
      clinic_id: clinicId,
      sort,
      limit: LIMIT,
      ...(flag === undefined ? {} : { flag }),
      ...(search === '' ? {} : { search }),
      ...(cursors.length === 0 ? {} : { after: cursors.at(-1) }),
    }),
  )
  const { data, error, isPlaceholderData, dataUpdatedAt } = query
  const searchField = useRef<HTMLInputElement>(null)
  useTitle(t.list.title)
  useListAddress(state)

  const onSeen = useCallback((child: ClinicChild) => void markSeen(clinicId, child), [markSeen, clinicId])
  const turn = (to: readonly string[]) => change({ cursors: to, opened: 'first' })
  const next = () => {
    // The page that is shown tells where the next one begins.
    if (!data?.next || isPlaceholderData) return false
    turn([...cursors, data.next])
    return true
  }
  const previous = () => {
    if (cursors.length === 0 || isPlaceholderData) return false
    turn(cursors.slice(0, -1))
    return true
  }
  useShortcuts({
    j: () => moveFocus(1),
    ArrowDown: () => moveFocus(1),
    k: () => moveFocus(-1),
    ArrowUp: () => moveFocus(-1),
    '/': () => searchField.current?.focus(),
    n: next,
    p: previous,
    s: () => {
      const child = data?.items.find(({ real_user_id }) => real_user_id === focusedChild())
      if (child) onSeen(child)
    },
  })
  // The children of the last page may be elsewhere in the list by now, or be gone.
  const isEmptied = data?.items.length === 0 && !isPlaceholderData && cursors.length > 0
  const isThere = data !== undefined && !isPlaceholderData && !isEmptied
  useEffect(() => {
    if (!isThere || opened === undefined) return undefined
    focusChild(opened)
    if (opened === 'first') {
      // Again after the next turn of the page.
      change({ opened: undefined })
      return undefined
    }
    // Once the router has rendered a page, it scrolls to the top.
    return router.subscribe('onRendered', () => focusChild(opened))
  }, [isThere, opened, change, router])
  const isOutdated = error !== null && errorResponseOf(error)?.status === 422 && cursors.length > 0
  useEffect(() => {
    // The service no longer knows where that page begins.
    if (isOutdated) change({ cursors: [], opened: 'first' })
  }, [isOutdated, change])
  useEffect(() => {
    if (isEmptied) change({ cursors: cursors.slice(0, -1), opened: 'first' })
  }, [isEmptied, cursors, change])

  if (error && isAccessEnded(error)) return <AccessEnded of="clinic" />
  const before = cursors.length * LIMIT
  // The child may have been marked on its page, or by a colleague, since.
  const isMarked = ({ child }: Mark) =>
    data?.items.some(
      (each) =>
        each.real_user_id === child.real_user_id && (each.seen_at === null) !== (child.seen_at === null),
    )
  const failed = marks.filter((mark) => mark.error !== undefined && !isMarked(mark))
  return (
    <main id="content" className="list">
      <div className="heading">
        <h1>{t.list.title}</h1>
        <p role="status">{isThere && t.list.total(data.total)}</p>
        <button type="button" className="quiet no-print" onClick={() => print()}>
          {t.print}
        </button>
      </div>
      {isThere && <PrintHeading clinicId={clinicId} total={data.total} readAt={new Date(dataUpdatedAt)} />}
      <Filters counts={data?.flags} searchField={searchField} />
      {error && !isOutdated && (
        <Problem error={error} isOld={data !== undefined} onRetry={() => void query.refetch()} />
      )}
      {data === undefined && !error && <p role="status">{t.loading}</p>}
      {data && data.items.length > 0 && (
        <div aria-busy={isPlaceholderData}>
          <ChildTable clinicId={clinicId} sort={sort} items={data.items} onSeen={onSeen} />
          <div className="pages">
            <p aria-live="polite">
              {isThere && t.list.page(before + 1, before + data.items.length, data.total)}
            </p>
            <button
              type="button"
              className="no-print"
              disabled={cursors.length === 0 || isPlaceholderData}
              onClick={previous}
            >
              {t.list.previous}
            </button>
            <button
              type="button"
              className="no-print"
              disabled={!data.next || isPlaceholderData}
              onClick={next}
            >
              {t.list.next}
            </button>
          </div>
        </div>
      )}
      {isThere && data.items.length === 0 && (
        <div className="empty">
          <p>{flag || search ? t.list.nothingFound : t.list.empty}</p>
          {(flag || search) && (
            <button type="button" onClick={() => change({ flag: undefined, search: '' })}>
              {t.list.clear}
            </button>
          )}
        </div>
      )}
      <div className="failed-marks no-print">
        {failed.map(({ child, error }) => (
          <Problem
            key={child.real_user_id}
            about={fullName(child)}
            error={error}
            onRetry={() => {
              // The button goes.
              focusChild(child.real_user_id)
              onSeen(child)
            }}
          />
        ))}
      </div>
      <p className="hint">{t.list.period}</p>
      <FlagLegend />
    </main>
  )
}
