import type { Child } from '@companion/sdk'
import { Pressable, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Words } from '../ui/words'

interface ChildSwitchProps {
  family: readonly Child[]
  child: Child
  onChoose: (id: number) => void
}

/** The name of the child whose nights are shown. With more than one child, it switches between them. */
export function ChildSwitch({ family, child, onChoose }: ChildSwitchProps) {
  const { t } = useLanguage()
  const palette = usePalette()
  if (family.length < 2) return <Words kind="title">{child.first_name}</Words>
  return (
    <View accessibilityRole="radiogroup" accessibilityLabel={t.children.title} style={styles.names}>
      {family.map(({ id, first_name }) => {
        const isChosen = id === child.id
        return (
          <Pressable
            key={id}
            accessibilityRole="radio"
            aria-checked={isChosen}
            accessibilityLabel={t.children.switchTo(first_name)}
            onPress={() => onChoose(id)}
            style={[styles.name, { borderBottomColor: isChosen ? palette.accent : 'transparent' }]}
          >
            <Words kind="title" tone={isChosen ? 'ink' : 'muted'} role="none">
              {first_name}
            </Words>
          </Pressable>
        )
      })}
    </View>
  )
}

const styles = StyleSheet.create({
  names: { flexDirection: 'row', flexWrap: 'wrap', gap: 20 },
  name: { borderBottomWidth: 3, paddingBottom: 2, minHeight: 44 },
})
