import type { OutboxError } from '@companion/sdk'
import type { ReactNode } from 'react'
import { companion } from '../companion/client'
import type { QueuedNote } from '../companion/use-outbox'
import { describeOutboxError } from '../i18n/describe-failure'
import { useLanguage } from '../i18n/language'
import { AskFirst } from '../ui/ask-first'
import { Notice } from '../ui/notice'

interface RefusedNoteProps {
  error: OutboxError
  queued: readonly QueuedNote[]
  onDiscarded?: () => void
  /** More that can be done with the note. */
  children?: ReactNode
}

/** Tells why the service refused a note and lets the parent discard it. */
export function RefusedNote({ error, queued, onDiscarded, children }: RefusedNoteProps) {
  const { t } = useLanguage()
  return (
    <>
      <Notice kind="danger" text={`${t.states.refused} ${describeOutboxError(error, t)}`} />
      {children}
      <AskFirst
        label={t.states.discard}
        question={t.states.discardQuestion}
        onConfirm={() => void companion.outbox.remove(queued).then(onDiscarded)}
      />
    </>
  )
}
