import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { isEmptyNote } from './note-draft'
import type { Note } from './note-draft'
import { NoteText } from './note-text'

interface NoteConflictProps {
  other: Note
  onSaveMine: () => void
  onUseTheirs: () => void
  isBusy: boolean
}

/** Someone else has changed the day's note: shows their note and lets the parent decide. */
export function NoteConflict({ other, onSaveMine, onUseTheirs, isBusy }: NoteConflictProps) {
  const { t } = useLanguage()
  return (
    <>
      <Notice kind="danger" text={t.calendar.conflict} />
      <Card title={t.calendar.otherNote}>
        {isEmptyNote(other) ? <Words tone="muted">{t.calendar.emptyNote}</Words> : <NoteText note={other} />}
      </Card>
      <Button label={t.calendar.saveMine} onPress={onSaveMine} isBusy={isBusy} />
      <Button kind="quiet" label={t.calendar.useTheirs} onPress={onUseTheirs} isDisabled={isBusy} />
    </>
  )
}
