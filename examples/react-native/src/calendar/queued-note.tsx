import type { OutboxItem } from '@companion/sdk'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { NoteText } from './note-text'

/** A note that waits on this phone for the connection, or that the service refused. */
export function QueuedNote({ item }: { item: OutboxItem }) {
  const { t } = useLanguage()
  if (item.kind !== 'event') return null
  return (
    <>
      <NoteText note={item.input} />
      {item.error ? (
        <>
          <Notice kind="danger" text={t.states.refused} />
          <Button kind="quiet" label={t.retry} onPress={() => void companion.outbox.retry([item])} />
          <Button
            kind="danger"
            label={t.states.discard}
            onPress={() => void companion.outbox.remove([item])}
          />
        </>
      ) : (
        <>
          <Notice text={t.states.queued} />
          <Button kind="quiet" label={t.retry} onPress={() => void companion.outbox.send()} />
        </>
      )}
    </>
  )
}
