import { isOffline } from '@companion/sdk'
import { NoteForm } from '../calendar/note-form'
import { useDay } from '../companion/queries'
import { useQueuedOfDay } from '../companion/use-outbox'
import type { ScreenProps } from '../navigation/routes'
import { Loaded } from '../ui/loaded'
import { Failure } from '../ui/failure'
import { Page } from '../ui/page'

export function NoteScreen({ route }: ScreenProps<'Note'>) {
  const { real_user_id, date } = route.params
  const query = useDay(real_user_id, date)
  const queued = useQueuedOfDay(real_user_id, date)
  // Once shown, the form stays while the day is loaded again, because it holds the typed text.
  const isKnown = query.data !== undefined || queued.length > 0 || query.isFetched
  return (
    <Page hasHeader>
      {isKnown ? (
        <>
          {isOffline(query.error) ? null : <Failure error={query.error} />}
          <NoteForm key={date} childId={real_user_id} date={date} day={query.data} queued={queued} />
        </>
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </Page>
  )
}
