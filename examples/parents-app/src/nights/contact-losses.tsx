import { StyleSheet, View } from 'react-native'
import { CalendarMark } from '../calendar/calendar-mark'
import { useLanguage } from '../i18n/language'
import { Words } from '../ui/words'
import { lossesOf } from './night'
import type { Night } from './night'

/** When the electrodes lost contact in a night, and whether the device went on. */
export function ContactLosses({ night }: { night: Night }) {
  const { t, format } = useLanguage()
  return lossesOf(night).map(({ at, again }) => (
    <View key={at} accessible style={styles.loss}>
      <CalendarMark kind="issue" size={14} />
      <Words kind="label" tone="danger" style={styles.words}>
        {again ? t.night.lostAndOn(format.clock(at), format.clock(again)) : t.night.lostAt(format.clock(at))}
      </Words>
    </View>
  ))
}

const styles = StyleSheet.create({
  loss: { flexDirection: 'row', gap: 8, alignItems: 'baseline' },
  words: { flex: 1 },
})
