import { useNavigation } from '@react-navigation/native'
import { useChildren } from '../companion/queries'
import { useQueuedNotes } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { LinkRow } from '../ui/link-row'

/** The days of all children whose note waits or was refused, except the day that the screen shows anyway. */
export function UnsentNotes({ shown }: { shown: { childId: number | undefined; date: string } }) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  const { data: family = [] } = useChildren()
  const notes = useQueuedNotes().filter(
    ({ input }) => input.real_user_id !== shown.childId || input.created_at !== shown.date,
  )
  const days = [
    ...new Map(notes.map((note) => [`${note.input.real_user_id} ${note.input.created_at}`, note])),
  ]
  if (days.length === 0) return null
  return (
    <Card title={t.today.unsentNotes}>
      {days.map(([key, { input, error }]) => {
        const real_user_id = input.real_user_id
        const date = input.created_at
        const name = family.find(({ id }) => id === real_user_id)?.first_name
        return (
          <LinkRow
            key={key}
            label={[format.dayAndMonth(date), name].filter(Boolean).join(' · ')}
            hint={error ? t.states.refused : t.today.waitingNote}
            onPress={() => navigation.navigate('Note', { real_user_id, date })}
          />
        )
      })}
    </Card>
  )
}
