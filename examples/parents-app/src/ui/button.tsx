import { use } from 'react'
import { ActivityIndicator, Pressable, StyleSheet } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { FormContext } from './first-issue'
import { Words } from './words'

interface ButtonProps {
  label: string
  onPress: () => void
  kind?: 'main' | 'quiet' | 'danger'
  isBusy?: boolean
  isDisabled?: boolean
}

export function Button({ label, onPress, kind = 'main', isBusy = false, isDisabled = false }: ButtonProps) {
  const palette = usePalette()
  const { tried } = use(FormContext)
  const isOff = isBusy || isDisabled
  const ground = { main: palette.accent, quiet: 'transparent', danger: palette.dangerSoft }[kind]
  const tone = ({ main: 'onAccent', quiet: 'accent', danger: 'danger' } as const)[kind]
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={label}
      accessibilityState={{ disabled: isOff, busy: isBusy }}
      disabled={isOff}
      onPress={() => {
        onPress()
        if (kind === 'main') tried()
      }}
      style={({ pressed }) => [
        styles.button,
        { backgroundColor: ground, opacity: isDisabled ? 0.45 : pressed ? 0.8 : 1 },
      ]}
    >
      {isBusy ? <ActivityIndicator color={palette[tone]} aria-hidden /> : null}
      <Words kind="heading" tone={tone} style={styles.label}>
        {label}
      </Words>
    </Pressable>
  )
}

const styles = StyleSheet.create({
  button: {
    minHeight: 50,
    borderRadius: 12,
    paddingHorizontal: 18,
    paddingVertical: 10,
    flexDirection: 'row',
    alignItems: 'center',
    justifyContent: 'center',
    gap: 10,
  },
  label: { fontSize: 16, textAlign: 'center' },
})
