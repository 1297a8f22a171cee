import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Icon } from './icon'
import type { IconName } from './icon'
import { Words } from './words'

interface FullStateProps {
  icon: IconName
  title: string
  text: string
  children?: ReactNode
}

/** Fills a screen that has no content to show: nothing yet, no connection, or an error. */
export function FullState({ icon, title, text, children }: FullStateProps) {
  const palette = usePalette()
  return (
    <View style={styles.state}>
      <View style={[styles.disc, { backgroundColor: palette.soft }]}>
        <Icon name={icon} color={palette.accent} size={32} />
      </View>
      <Words kind="heading" style={styles.centred}>
        {title}
      </Words>
      <Words tone="muted" style={styles.centred}>
        {text}
      </Words>
      {children ? <View style={styles.actions}>{children}</View> : null}
    </View>
  )
}

const styles = StyleSheet.create({
  state: { alignItems: 'center', gap: 10, paddingVertical: 44, paddingHorizontal: 12 },
  disc: {
    width: 72,
    height: 72,
    borderRadius: 36,
    alignItems: 'center',
    justifyContent: 'center',
    marginBottom: 6,
  },
  centred: { textAlign: 'center' },
  actions: { alignSelf: 'stretch', marginTop: 14, gap: 10 },
})
