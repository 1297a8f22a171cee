import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Words } from './words'

interface CardProps {
  title?: string
  aside?: string | undefined
  /** A small control at the end of the title. */
  action?: ReactNode
  children: ReactNode
}

export function Card({ title, aside, action, children }: CardProps) {
  const palette = usePalette()
  return (
    <View style={[styles.card, { backgroundColor: palette.surface, borderColor: palette.line }]}>
      {title ? (
        <View style={styles.head}>
          <View style={styles.title}>
            <Words kind="heading">{title}</Words>
            {action}
          </View>
          {aside ? (
            <Words kind="label" tone="muted">
              {aside}
            </Words>
          ) : null}
        </View>
      ) : null}
      {children}
    </View>
  )
}

const styles = StyleSheet.create({
  card: { borderRadius: 16, borderWidth: StyleSheet.hairlineWidth, padding: 18, gap: 14 },
  head: {
    flexDirection: 'row',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    flexWrap: 'wrap',
    columnGap: 12,
  },
  title: { flexDirection: 'row', alignItems: 'center', gap: 4, maxWidth: '100%' },
})
