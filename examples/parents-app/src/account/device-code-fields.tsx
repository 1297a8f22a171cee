import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { DeviceCodeField } from './device-code-field'
import type { DeviceCodeName, DeviceCodes } from './device-codes'
import { readLabel } from './label-text'
import type { ScannedLabel } from './label-text'
import { ScanLabel } from './scan-label'

interface DeviceCodeFieldsProps {
  typed: DeviceCodes
  issues: readonly DeviceCodeName[]
  onChange: (typed: DeviceCodes) => void
}

/** Fields for the codes on the label of a device. */
export function DeviceCodeFields({ typed, issues, onChange }: DeviceCodeFieldsProps) {
  const { t } = useLanguage()
  const [isOther, setOther] = useState(false)
  const read = (label: ScannedLabel) => {
    setOther(label.kind !== 'device')
    if (label.kind !== 'device') return
    const { serial_code, mac_id, unique_id } = label
    onChange({ serial_code, mac_id, unique_id })
  }
  const field = (name: DeviceCodeName, label: string, placeholder: string) => (
    <DeviceCodeField
      label={label}
      value={typed[name]}
      onChangeText={(text) => {
        // The text of the label may be pasted into any field.
        const label = readLabel(text)
        if (label) read(label)
        else onChange({ ...typed, [name]: text })
      }}
      placeholder={placeholder}
      isId={name === 'unique_id'}
      issue={issues.includes(name) ? t.issues[name] : undefined}
    />
  )
  return (
    <>
      <Words tone="muted">{t.pairing.hint}</Words>
      <ScanLabel onRead={read} />
      {isOther ? <Notice kind="danger" text={t.pairing.basestationLabel} /> : null}
      {field('serial_code', t.pairing.serial, 'ABC-12345')}
      {field('mac_id', t.pairing.mac, '1A2B')}
      {field('unique_id', t.pairing.uuid, 'xxxxxxxx-xxxx-…')}
    </>
  )
}
