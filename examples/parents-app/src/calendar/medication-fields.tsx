import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { IconButton } from '../ui/icon-button'
import type { LineFaults, NoteDraft } from './note-draft'

type Lines = NoteDraft['medication']

interface MedicationFieldsProps {
  lines: Lines
  /** The faults of each line; empty until they are to be shown. */
  faults: readonly LineFaults[]
  onChange: (lines: Lines) => void
}

export function MedicationFields({ lines, faults, onChange }: MedicationFieldsProps) {
  const { t } = useLanguage()
  const change = (index: number, part: Partial<Lines[number]>) =>
    onChange(lines.map((line, at) => (at === index ? { ...line, ...part } : line)))
  return (
    <Card title={t.calendar.medication}>
      {lines.map((line, index) => (
        <View key={index} style={styles.line}>
          <View style={styles.name}>
            <Field
              label={t.calendar.medicationName}
              value={line.name}
              onChangeText={(name) => change(index, { name })}
              fault={faults[index]?.name ? t.faults.required : undefined}
              maxLength={170}
            />
          </View>
          <View style={styles.dose}>
            <Field
              label={t.calendar.dose}
              value={line.dose}
              onChangeText={(dose) => change(index, { dose })}
              {...(faults[index]?.dose ? { fault: t.calendar.doseHint } : { hint: t.calendar.doseHint })}
            />
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
  name: { flex: 2 },
  dose: { flex: 1 },
  remove: { marginTop: 29 },
})
