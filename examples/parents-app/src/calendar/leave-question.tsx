import { Modal, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Words } from '../ui/words'

interface LeaveQuestionProps {
  onStay: () => void
  onLeave: () => void
}

/** Asks whether to leave and lose what was typed. */
export function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  const { t } = useLanguage()
  return (
    <Modal transparent animationType="fade" onRequestClose={onStay}>
      <View style={styles.veil} role="alertdialog" aria-label={t.calendar.leaveQuestion}>
        <View style={styles.box}>
          <Card title={t.calendar.leaveQuestion}>
            <Words>{t.calendar.leaveHint}</Words>
            <Button label={t.calendar.stay} onPress={onStay} />
            <Button kind="danger" label={t.calendar.leave} onPress={onLeave} />
          </Card>
        </View>
      </View>
    </Modal>
  )
}

const styles = StyleSheet.create({
  veil: { flex: 1, justifyContent: 'center', padding: 24, backgroundColor: 'rgba(0, 0, 0, 0.45)' },
  box: { width: '100%', maxWidth: 420, alignSelf: 'center' },
})
