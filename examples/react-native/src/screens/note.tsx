import { NoteForm } from '../calendar/note-form'
import { useDay } from '../companion/queries'
import type { ScreenProps } from '../navigation/routes'
import { Answered } from '../ui/answered'
import { Page } from '../ui/page'

export function NoteScreen({ route, navigation }: ScreenProps<'Note'>) {
  const { real_user_id, date } = route.params
  const query = useDay(real_user_id, date)
  return (
    <Page hasHeader>
      <Answered query={query}>
        {(day) => <NoteForm key={day.version} day={day} date={date} onSaved={() => navigation.goBack()} />}
      </Answered>
    </Page>
  )
}
