import { safe } from '@companion/sdk'
import type { OutboxItem, SaveEventInput } from '@companion/sdk'
import { useCallback, useEffect, useState } from 'react'
import { companion, describe } from './companion'
import { Button, Card, Field, Notice } from './controls'
import { useResponse } from './use-response'

/** The note of a day. Saving needs no connection: the outbox keeps the note on the phone and sends it when it can. */
export function DayNote({ childId, date }: { childId: number; date: string }) {
  const [draft, setDraft] = useState<SaveEventInput>()
  const [problem, setProblem] = useState<string>()
  // A draft keeps its day when midnight passes.
  const event_date = draft?.created_at ?? date
  const { response, error, askAgain } = useResponse(
    useCallback(
      (options) => companion.calendar.readDay({ real_user_id: childId, event_date }, options),
      [childId, event_date],
    ),
  )
  const { notes, readNotes } = useWaitingNotes(childId, event_date, askAgain)
  const waiting = notes.at(-1)
  const known: SaveEventInput | undefined = response && {
    real_user_id: childId,
    created_at: event_date,
    memo: response.memo,
    // With the id, the service keeps what this screen does not show, such as medication.
    event_id: response.event_id ?? undefined,
    // With the version, it refuses to overwrite a change that this phone has not seen.
    version: response.version,
  }
  const refused = waiting?.error
  const base = refused ? known && { ...known, memo: waiting.input.memo } : (waiting?.input ?? known)
  const note = draft ?? (refused ? base : undefined)
  const save = async () => {
    if (!note) return
    const [saved, failure] = await safe(companion.outbox.saveEvent(note))
    setProblem(failure && describe(failure))
    if (!saved) return
    await readNotes()
    setDraft((now) => (now === draft ? undefined : now))
    if (refused) await companion.outbox.remove([waiting])
  }
  return (
    <Card title={`Note of ${event_date}`}>
      <Notice text={error && describe(error)} />
      <Field
        label="How was the night?"
        value={(draft ?? waiting?.input ?? known)?.memo ?? ''}
        onChangeText={(memo) => base && setDraft({ ...base, ...draft, memo })}
        editable={base !== undefined}
        maxLength={1000}
        multiline
      />
      {refused ? (
        <>
          <Notice text={`Refused: ${refused.detail}. The service has “${known?.memo}”; Save replaces it.`} />
          <Button label="Discard mine" isQuiet onPress={() => companion.outbox.remove([waiting])} />
        </>
      ) : (
        <Notice text={waiting && 'Saved on this phone. It will be sent when there is a connection.'} />
      )}
      <Notice text={problem} />
      <Button label="Save" isDisabled={!note} onPress={save} />
    </Card>
  )
}

/**
 * The day's notes that have not reached the service, the oldest first. One that it refused has an `error`. A note that was
 * sent stays until the day has been asked again: the last response is older than the note.
 */
function useWaitingNotes(childId: number, date: string, askAgain: () => Promise<void>) {
  const [items, setItems] = useState<readonly OutboxItem[]>([])
  const readNotes = useCallback(async () => setItems((await safe(companion.outbox.list()))[0] ?? []), [])
  useEffect(() => {
    void readNotes()
    return companion.outbox.subscribe(async ({ type, items: changed }) => {
      if (type !== 'sent') await readNotes()
      // An error may mean that the day was changed elsewhere.
      if (type === 'sent' || type === 'rejected') await askAgain()
      if (type === 'sent') setItems((now) => now.filter(({ id }) => !changed.some((sent) => sent.id === id)))
    })
  }, [askAgain, readNotes])
  const notes = items
    .filter((item) => item.kind === 'event')
    .filter(({ input }) => input.real_user_id === childId && input.created_at === date)
  return { notes, readNotes }
}
