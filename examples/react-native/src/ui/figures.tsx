import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'

/** Figures side by side. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <View style={styles.figures}>{children}</View>
)

const styles = StyleSheet.create({ figures: { flexDirection: 'row', gap: 14 } })
