import { useNavigation } from '@react-navigation/native'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'

/** Leads from the chosen date of a chart to its day. */
export function OpenDay({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  return (
    <Button
      kind="quiet"
      label={t.trends.openDay(format.dayAndMonth(date))}
      onPress={() => navigation.navigate('Day', { real_user_id: childId, date })}
    />
  )
}
