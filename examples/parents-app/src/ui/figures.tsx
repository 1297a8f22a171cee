import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'

/** Figures side by side. One that does not fit moves to the next line as a whole. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <View style={styles.figures}>{children}</View>
)

const styles = StyleSheet.create({
  figures: { flexDirection: 'row', flexWrap: 'wrap', columnGap: 20, rowGap: 10 },
})
