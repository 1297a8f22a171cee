import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from './button'
import { useFontScale } from './font-scale'
import { useReveal } from './reveal'
import { Words } from './words'

/** Room for a long word in a button, in points. */
const WORD = 140

interface AskFirstProps {
  label: string
  question: string
  onConfirm: () => void
  isBusy?: boolean
}

/** A button for an action that is hard to undo. It asks before it acts. */
export function AskFirst({ label, question, onConfirm, isBusy = false }: AskFirstProps) {
  const { t } = useLanguage()
  const [isAsking, setAsking] = useState(false)
  const view = useReveal(isAsking)
  const least = { minWidth: WORD * useFontScale() }
  if (!isAsking) return <Button kind="danger" label={label} isBusy={isBusy} onPress={() => setAsking(true)} />
  return (
    <View ref={view} style={styles.question} role="alert">
      <Words>{question}</Words>
      <View style={styles.answers}>
        <View style={[styles.answer, least]}>
          <Button kind="quiet" label={t.cancel} onPress={() => setAsking(false)} />
        </View>
        <View style={[styles.answer, least]}>
          <Button
            kind="danger"
            label={label}
            onPress={() => {
              setAsking(false)
              onConfirm()
            }}
          />
        </View>
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  question: { gap: 10 },
  answers: { flexDirection: 'row', flexWrap: 'wrap', gap: 10 },
  answer: { flexGrow: 1, flexBasis: 0 },
})
