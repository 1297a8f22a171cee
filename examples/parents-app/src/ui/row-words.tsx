import { StyleSheet, View } from 'react-native'
import { Words } from './words'

/** The label and hint of a row, beside its control. */
export const RowWords = ({ label, hint }: { label: string; hint?: string | undefined }) => (
  <View style={styles.words}>
    <Words>{label}</Words>
    {hint ? (
      <Words kind="caption" tone="muted">
        {hint}
      </Words>
    ) : null}
  </View>
)

const styles = StyleSheet.create({ words: { flex: 1, gap: 2 } })
