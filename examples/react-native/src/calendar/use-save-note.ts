import { isOffline, safe } from '@companion/sdk'
import type { CalendarDay, SaveEventInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/queries'
import type { CalendarDate } from '../time/dates'

/**
 * Saves a day's note, unless it was changed elsewhere since `day` was read. Without connection it is kept in the outbox,
 * which sends it later by the same rule.
 */
export function useSaveNote(day: CalendarDay, date: CalendarDate, onSaved: () => void) {
  const queries = useQueryClient()
  const reload = () => queries.invalidateQueries({ queryKey: keys.calendar })
  const save = useMutation({
    mutationFn: async (note: Pick<SaveEventInput, 'memo' | 'event_data'>) => {
      const event = {
        ...note,
        real_user_id: day.real_user_id,
        created_at: date,
        ...(day.version ? { version: day.version } : {}),
      }
      const [, error] = await safe(companion.calendar.saveEvent(event))
      if (error?.data?.detail === 'Event was changed meanwhile') return 'conflict'
      if (isOffline(error)) await companion.outbox.saveEvent(event)
      else if (error) throw error
      return 'saved'
    },
    onSuccess: (outcome) => {
      if (outcome === 'conflict') return
      void reload()
      onSaved()
    },
  })
  return { save, reload: () => void reload() }
}
