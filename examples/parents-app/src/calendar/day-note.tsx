import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useDay } from '../companion/queries'
import { useQueuedOfDay } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import { mayWrite } from '../sharing/rights'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { DayMood } from './day-mood'
import { NightBeforeNote } from './night-before-note'
import { nightOfDay } from './night-of-day'
import { isEmptyNote } from './note-draft'
import { NoteText } from './note-text'
import { QueuedNote } from './queued-note'

interface DayNoteProps {
  child: ListedChild
  date: CalendarDate
  title: string
  /** Shown while the day has no note and one may be written. */
  invitation: string
  /** Whether the screen shows the night before in another place. */
  isNightShown?: boolean
}

/** The note of a day, with a button to write it. Writing needs no connection. */
export function DayNote({ child, date, title, invitation, isNightShown = false }: DayNoteProps) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  const childId = child.id
  const isWritable = mayWrite(child)
  const query = useDay(childId, date)
  const queued = useQueuedOfDay(childId, date)
  const newest = queued.at(-1)
  const isWritten = newest !== undefined || (query.data !== undefined && !isEmptyNote(query.data))
  const about = isWritten ? nightOfDay(date, query.data, queued) : undefined
  return (
    <Card
      title={title}
      aside={
        isNightShown && about?.isCertain ? t.calendar.aboutNight(format.night(about.evening)) : undefined
      }
    >
      {about && !isNightShown ? (
        <NightBeforeNote childId={childId} date={date} isAbout={about.isCertain} />
      ) : null}
      {isWritable && (query.data || newest) && queued.every(({ error }) => !error) ? (
        <DayMood childId={childId} date={date} day={query.data} queued={queued} />
      ) : null}
      {newest ? (
        <QueuedNote childId={childId} date={date} day={query.data} item={newest} queued={queued} />
      ) : (
        <Loaded query={query}>
          {(day) =>
            isEmptyNote(day) ? (
              <Words tone="muted">{isWritable ? invitation : t.calendar.emptyNote}</Words>
            ) : (
              <NoteText note={day} />
            )
          }
        </Loaded>
      )}
      {isWritable && (newest || query.isFetched || query.data) ? (
        <Button
          kind="quiet"
          label={isWritten ? t.calendar.editNote : t.calendar.writeNote}
          onPress={() => navigation.navigate('Note', { real_user_id: childId, date })}
        />
      ) : null}
    </Card>
  )
}
