import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import type { ClinicChild } from './clinic-child'
import { children } from '../companion/queries'
import { isAccessEnded } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { AccessEnded } from '../shell/access-ended'
import { Failure, Loading, Problem } from '../shell/states'
import { useShortcuts } from '../shell/use-shortcuts'
import { useTitle } from '../shell/use-title'
import { ChildTable } from './child-table'
import { Filters } from './filters'
import { FlagLegend } from './flags'
import { useListState } from './list-state'
import { focusChild, focusedChild, moveFocus } from './move-focus'
import { useUpdateChild } from './use-update-child'

const LIMIT = 50
const route = getRouteApi('/signed-in/$clinicId/')

/** The children of a clinic; those who need a call come first. */
export function ListPage() {
  const { clinicId } = route.useParams()
  const { t } = useWords()
  const { state, change } = useListState()
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
  const { data, error } = query
  const { mutate, error: updateError } = useUpdateChild(clinicId)
  const searchField = useRef<HTMLInputElement>(null)
  useTitle(t.list.title)

  const onSeen = useCallback(
    ({ real_user_id, seen_at }: ClinicChild) => mutate({ real_user_id, is_seen: seen_at === null }),
    [mutate],
  )
  const next = () => {
    if (!data?.next) return false
    change({ cursors: [...cursors, data.next] })
    return true
  }
  const previous = () => {
    if (cursors.length === 0) return false
    change({ cursors: cursors.slice(0, -1) })
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
  const isThere = data !== undefined
  useEffect(() => {
    if (isThere && opened !== undefined) focusChild(opened)
  }, [isThere, opened])

  if (error && isAccessEnded(error)) return <AccessEnded of="clinic" />
  if (!data) return error ? <Failure error={error} onRetry={() => void query.refetch()} /> : <Loading />
  const before = cursors.length * LIMIT
  return (
    <main id="content" className="list">
      <div className="heading">
        <h1>{t.list.title}</h1>
        <p>{t.list.total(data.total)}</p>
        <button type="button" className="quiet no-print" onClick={() => print()}>
          {t.print}
        </button>
      </div>
      <Filters counts={data.flags} searchField={searchField} />
      {(error ?? updateError) && <Problem error={error ?? updateError} />}
      {data.items.length > 0 ? (
        <>
          <ChildTable clinicId={clinicId} items={data.items} onSeen={onSeen} />
          <div className="pages">
            <p aria-live="polite">{t.list.page(before + 1, before + data.items.length, data.total)}</p>
            <button type="button" className="no-print" disabled={cursors.length === 0} onClick={previous}>
              {t.list.previous}
            </button>
            <button type="button" className="no-print" disabled={!data.next} onClick={next}>
              {t.list.next}
            </button>
          </div>
        </>
      ) : (
        <div className="empty">
          <p>{flag || search ? t.list.nothingFound : t.list.empty}</p>
          {(flag || search) && (
            <button type="button" onClick={() => change({ flag: undefined, search: '' })}>
              {t.list.clear}
            </button>
          )}
        </div>
      )}
      <p className="hint">{t.list.period}</p>
      <FlagLegend />
    </main>
  )
}
