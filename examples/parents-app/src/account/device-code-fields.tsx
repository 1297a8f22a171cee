import { useLanguage } from '../i18n/language'
import { Words } from '../ui/words'
import { CodeField } from './code-field'
import type { CodeFault, DeviceCodes } from './device-codes'

interface DeviceCodeFieldsProps {
  typed: DeviceCodes
  faults: readonly CodeFault[]
  onChange: (typed: DeviceCodes) => void
}

/** Fields for the codes on the label of a device. */
export function DeviceCodeFields({ typed, faults, onChange }: DeviceCodeFieldsProps) {
  const { t } = useLanguage()
  const field = (name: CodeFault, label: string, placeholder: string) => (
    <CodeField
      label={label}
      value={typed[name]}
      onChangeText={(text) => onChange({ ...typed, [name]: text })}
      placeholder={placeholder}
      isId={name === 'unique_id'}
      fault={faults.includes(name) ? t.faults[name] : undefined}
    />
  )
  return (
    <>
      <Words tone="muted">{t.pairing.hint}</Words>
      {field('serial_code', t.pairing.serial, 'ABC-12345')}
      {field('mac_id', t.pairing.mac, '1A2B')}
      {field('unique_id', t.pairing.uuid, 'xxxxxxxx-xxxx-…')}
    </>
  )
}
