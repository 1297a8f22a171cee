import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { Words } from './words'

interface CardProps {
  title?: string
  aside?: string | undefined
  children: ReactNode
}

export function Card({ title, aside, children }: CardProps) {
  const palette = usePalette()
  return (
    <View style={[styles.card, { backgroundColor: palette.surface, borderColor: palette.line }]}>
      {title ? (
        <View style={styles.head}>
          <Words kind="heading">{title}</Words>
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
})
