import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Field } from '../ui/field'
import { IconButton } from '../ui/icon-button'

interface HospitalFieldsProps {
  lines: readonly string[]
  onChange: (lines: string[]) => void
}

export function HospitalFields({ lines, onChange }: HospitalFieldsProps) {
  const { t } = useLanguage()
  return (
    <Card title={t.calendar.hospital}>
      {lines.map((line, index) => (
        <View key={index} style={styles.line}>
          <View style={styles.name}>
            <Field
              label={t.calendar.hospitalName}
              value={line}
              onChangeText={(text) => onChange(lines.map((other, at) => (at === index ? text : other)))}
              maxLength={200}
            />
          </View>
          <View style={styles.remove}>
            <IconButton
              icon="close"
              label={`${t.remove}: ${line}`}
              onPress={() => onChange(lines.filter((_, at) => at !== index))}
            />
          </View>
        </View>
      ))}
      <Button kind="quiet" label={t.calendar.addHospital} onPress={() => onChange([...lines, ''])} />
    </Card>
  )
}

const styles = StyleSheet.create({
  line: { flexDirection: 'row', gap: 10 },
  name: { flex: 1 },
  remove: { marginTop: 29 },
})
