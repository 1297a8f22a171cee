import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { useFontScale } from '../ui/font-scale'
import { IconButton } from '../ui/icon-button'
import type { LineIssues, NoteDraft } from './note-draft'

type Lines = NoteDraft['medication']

/** At these widths, in points of the usual text size, name and dose stand beside each other on the smallest phone. */
const NAME_WIDTH = 105
const DOSE_WIDTH = 75

interface MedicationFieldsProps {
  lines: Lines
  /** The issues of each line; empty until they are to be shown. */
  issues: readonly LineIssues[]
  onChange: (lines: Lines) => void
}

export function MedicationFields({ lines, issues, onChange }: MedicationFieldsProps) {
  const { t } = useLanguage()
  const scale = useFontScale()
  const change = (index: number, part: Partial<Lines[number]>) =>
    onChange(lines.map((line, at) => (at === index ? { ...line, ...part } : line)))
  return (
    <Card title={t.calendar.medication}>
      {lines.map((line, index) => (
        <View key={index} style={styles.line}>
          <View style={styles.fields}>
            <View style={[styles.name, { flexBasis: NAME_WIDTH * scale }]}>
              <Field
                label={t.calendar.medicationName}
                value={line.name}
                onChangeText={(name) => change(index, { name })}
                issue={issues[index]?.name ? t.issues.required : undefined}
                maxLength={170}
              />
            </View>
            <View style={[styles.dose, { flexBasis: DOSE_WIDTH * scale }]}>
              <Field
                label={t.calendar.dose}
                value={line.dose}
                onChangeText={(dose) => change(index, { dose })}
                {...(issues[index]?.dose ? { issue: t.calendar.doseHint } : { hint: t.calendar.doseHint })}
              />
            </View>
          </View>
          <View style={styles.remove}>
            <IconButton
              icon="close"
              label={`${t.remove}: ${line.name}`}
              onPress={() => onChange(lines.filter((_, at) => at !== index))}
            />
          </View>
        </View>
      ))}
      <Button
        kind="quiet"
        label={t.calendar.addMedication}
        onPress={() => onChange([...lines, { name: '', dose: '' }])}
      />
    </Card>
  )
}

const styles = StyleSheet.create({
  line: { flexDirection: 'row', gap: 10 },
  fields: { flex: 1, flexDirection: 'row', flexWrap: 'wrap', gap: 10 },
  name: { flexGrow: 2, flexShrink: 1 },
  dose: { flexGrow: 1, flexShrink: 1 },
  remove: { marginTop: 29 },
})
