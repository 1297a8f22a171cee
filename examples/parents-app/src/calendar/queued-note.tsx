import type { CalendarDay } from '@companion/sdk'
import { companion } from '../companion/client'
import type { QueuedNote as Item } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { NoteConflict } from './note-conflict'
import { noteOf, toDraft } from './note-draft'
import { compareDraft } from './draft-origin'
import { NoteText } from './note-text'
import { RefusedNote } from './refused-note'
import { useSaveNote } from './use-save-note'

interface QueuedNoteProps {
  childId: number
  date: CalendarDate
  day: CalendarDay | undefined
  /** The newest of `queued`. */
  item: Item
  queued: Item[]
}

/** A note that waits on this phone for a connection, or that the service has refused. */
export function QueuedNote({ childId, date, day, item, queued }: QueuedNoteProps) {
  const { t } = useLanguage()
  const save = useSaveNote(childId, date, queued)
  const note = noteOf(item.input)
  const { other } = compareDraft(toDraft(note), { version: item.input.version, note }, day)
  return (
    <>
      <NoteText note={note} />
      {!item.error ? (
        <>
          <Notice text={t.states.queued} />
          <Button kind="quiet" label={t.retry} onPress={() => void companion.outbox.send()} />
        </>
      ) : other ? (
        <NoteConflict
          other={other}
          isBusy={save.isPending}
          onSaveMine={() => save.mutate({ note, version: other.version, isChosen: true })}
          onUseTheirs={() => void companion.outbox.remove(queued)}
        />
      ) : (
        <RefusedNote error={item.error} queued={queued}>
          <Button kind="quiet" label={t.retry} onPress={() => void companion.outbox.retry(queued)} />
        </RefusedNote>
      )}
      <Failure error={save.error} />
    </>
  )
}
