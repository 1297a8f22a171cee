import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'

/** Figures side by side; one that does not fit goes whole to the next line. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <View style={styles.figures}>{children}</View>
)

const styles = StyleSheet.create({
  figures: { flexDirection: 'row', flexWrap: 'wrap', columnGap: 20, rowGap: 10 },
})
