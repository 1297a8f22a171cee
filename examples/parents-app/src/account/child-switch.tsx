import type { ListedChild } from '@companion/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { Pressable, ScrollView, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { memberRole } from '../sharing/rights'
import type { MemberRole } from '../sharing/rights'
import { Words } from '../ui/words'

interface ChildSwitchProps {
  family: readonly ListedChild[]
  child: ListedChild
  onChoose: (id: number) => void
}

/** The name of the child whose nights are shown. With more than one child, a single row switches between them. */
export function ChildSwitch({ family, child, onChoose }: ChildSwitchProps) {
  const { t } = useLanguage()
  const palette = usePalette()
  const row = useRef<ScrollView>(null)
  const places = useRef(new Map<number, number>())
  const chosen = child.id
  const show = useCallback(() => {
    row.current?.scrollTo({ x: Math.max(0, (places.current.get(chosen) ?? 0) - 20), animated: false })
  }, [chosen])
  useEffect(show, [show])
  const shared = (role: MemberRole | undefined) =>
    role ? (
      <Words kind="caption" tone="muted">
        {t.sharing.sharedAs[role]}
      </Words>
    ) : null
  if (family.length < 2)
    return (
      <View>
        <Words kind="title">{child.first_name}</Words>
        {shared(memberRole(child))}
      </View>
    )
  return (
    <ScrollView
      ref={row}
      horizontal
      showsHorizontalScrollIndicator={false}
      accessibilityRole="radiogroup"
      accessibilityLabel={t.children.title}
      style={styles.row}
      contentContainerStyle={styles.names}
    >
      {family.map((one) => {
        const { id, first_name } = one
        const isChosen = id === child.id
        const role = memberRole(one)
        return (
          <Pressable
            key={id}
            accessibilityRole="radio"
            aria-checked={isChosen}
            accessibilityLabel={[t.children.switchTo(first_name), role && t.sharing.sharedAs[role]]
              .filter(Boolean)
              .join(', ')}
            onPress={() => onChoose(id)}
            onLayout={({ nativeEvent }) => {
              places.current.set(id, nativeEvent.layout.x)
              if (isChosen) show()
            }}
            style={[styles.name, { borderBottomColor: isChosen ? palette.accent : 'transparent' }]}
          >
            <Words
              kind="title"
              tone={isChosen ? 'ink' : 'muted'}
              role="none"
              numberOfLines={isChosen ? 3 : 1}
            >
              {first_name}
            </Words>
            {shared(role)}
          </Pressable>
        )
      })}
    </ScrollView>
  )
}

const styles = StyleSheet.create({
  // The names reach the edges of the screen, where further ones can be seen to go on.
  row: { flexGrow: 0, marginHorizontal: -20 },
  names: { gap: 20, paddingHorizontal: 20 },
  name: { borderBottomWidth: 3, paddingBottom: 2, minHeight: 44, maxWidth: 220 },
})
