import { useState } from 'react'
import type { ReactNode } from 'react'
import { Pressable, StyleSheet, Text, TextInput, View } from 'react-native'
import type { TextInputProps } from 'react-native'

export const colours = {
  ground: '#f4f6f8',
  surface: '#ffffff',
  soft: '#dcecec',
  ink: '#17212b',
  muted: '#566573',
  accent: '#17696a',
}

export const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <View style={styles.card}>
    <Text style={styles.heading} accessibilityRole="header">
      {title}
    </Text>
    {children}
  </View>
)

interface ButtonProps {
  label: string
  onPress: () => unknown
  isQuiet?: boolean
  isDisabled?: boolean
}

/** A button that takes no second press before `onPress` is done. */
export function Button({ label, onPress, isQuiet, isDisabled }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const isOff = isBusy || isDisabled
  const press = async () => {
    setBusy(true)
    await Promise.resolve(onPress()).finally(() => setBusy(false))
  }
  return (
    <Pressable
      accessibilityRole="button"
      disabled={isOff}
      onPress={() => void press()}
      style={[styles.button, isQuiet && styles.quiet, isOff && styles.off]}
    >
      <Text style={[styles.label, isQuiet && styles.quietLabel]}>{label}</Text>
    </Pressable>
  )
}

export const Field = ({ label, ...input }: TextInputProps & { label: string }) => (
  <View>
    <Text style={styles.muted}>{label}</Text>
    <TextInput {...input} accessibilityLabel={label} style={[styles.input, input.multiline && styles.tall]} />
  </View>
)

/** A message; nothing when there is no text. Screen readers read it out when it appears. */
export const Notice = ({ text }: { text: string | undefined }) =>
  text ? (
    <Text style={styles.notice} role="status" accessibilityLiveRegion="polite">
      {text}
    </Text>
  ) : null

export const styles = StyleSheet.create({
  screen: { flex: 1, backgroundColor: colours.ground },
  page: { flexGrow: 1, width: '100%', maxWidth: 560, alignSelf: 'center', padding: 16, gap: 16 },
  row: { flexDirection: 'row', flexWrap: 'wrap', gap: 8 },
  card: { backgroundColor: colours.surface, borderRadius: 16, padding: 18, gap: 16 },
  heading: { color: colours.ink, fontSize: 20, fontWeight: '600' },
  muted: { color: colours.muted, fontSize: 14 },
  button: { borderRadius: 12, paddingHorizontal: 16, paddingVertical: 13, backgroundColor: colours.accent },
  quiet: { backgroundColor: colours.soft },
  off: { opacity: 0.45 },
  label: { color: colours.surface, fontSize: 16, fontWeight: '600', textAlign: 'center' },
  quietLabel: { color: colours.accent },
  input: {
    marginTop: 6,
    borderWidth: 1,
    borderColor: colours.muted,
    borderRadius: 12,
    padding: 12,
    fontSize: 16,
  },
  tall: { minHeight: 110, textAlignVertical: 'top' },
  notice: { color: colours.accent, fontSize: 14, fontWeight: '500' },
})
