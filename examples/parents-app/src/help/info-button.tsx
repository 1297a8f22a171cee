import { useNavigation } from '@react-navigation/native'
import { Pressable, StyleSheet } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Icon } from '../ui/icon'
import type { Topic } from './topics'

/** An "i" that opens the page about a figure or a chart. */
export function InfoButton({ topic, of }: { topic: Topic; of: string }) {
  const { t } = useLanguage()
  const palette = usePalette()
  const navigation = useNavigation()
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={t.help.about(of)}
      onPress={() => navigation.navigate('Help', { topic })}
      style={({ pressed }) => [styles.button, { opacity: pressed ? 0.6 : 1 }]}
    >
      <Icon name="info" color={palette.muted} size={20} />
    </Pressable>
  )
}

const styles = StyleSheet.create({
  // The circle stands where text would, and a finger finds room around it.
  button: { width: 44, height: 44, margin: -10, alignItems: 'center', justifyContent: 'center' },
})
