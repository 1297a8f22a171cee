import { StyleSheet, View } from 'react-native'
import { Words } from './words'

/** What can be done, one point for each. */
export const Steps = ({ steps }: { steps: readonly string[] }) =>
  steps.map((step) => (
    <View key={step} style={styles.step}>
      <Words aria-hidden>•</Words>
      <Words style={styles.words}>{step}</Words>
    </View>
  ))

const styles = StyleSheet.create({ step: { flexDirection: 'row', gap: 8 }, words: { flex: 1 } })
