import { safe } from '@companion/sdk'
import type { ConnectBasestationInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { DeviceCodeField } from './device-code-field'
import { readBasestationCodes } from './device-codes'
import { readLabel } from './label-text'
import type { ScannedLabel } from './label-text'
import { ScanLabel } from './scan-label'

/** Connects a base station by the codes on its label. */
export function BasestationForm() {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [typed, setTyped] = useState({ serial_code: '', unique_id: '' })
  const [isChecked, setChecked] = useState(false)
  const [isOther, setOther] = useState(false)
  const { codes, issues } = readBasestationCodes(typed)
  const connect = useMutation({
    mutationFn: async (input: ConnectBasestationInput) => {
      const [, error] = await safe(companion.basestations.connect(input))
      if (error?.data?.detail === 'Serial code is not valid') return 'wrong serial code'
      if (error) throw error
      return 'connected'
    },
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: cacheKeys.basestations }),
        queries.invalidateQueries({ queryKey: cacheKeys.charts }),
      ]),
  })
  const isSerialWrong = (isChecked && issues.includes('serial_code')) || connect.data === 'wrong serial code'
  const read = (label: ScannedLabel) => {
    setOther(label.kind !== 'basestation')
    if (label.kind !== 'basestation') return
    const { serial_code, unique_id } = label
    setTyped({ serial_code, unique_id })
  }
  // The text of the label may be pasted into either field.
  const write = (next: typeof typed, text: string) => {
    const label = readLabel(text)
    if (label) read(label)
    else setTyped(next)
  }
  const submit = () => {
    setChecked(true)
    connect.reset()
    if (issues.length === 0) connect.mutate(codes)
  }
  return (
    <>
      <Card>
        <Words tone="muted">{t.pairing.hint}</Words>
        <ScanLabel onRead={read} />
        {isOther ? <Notice kind="danger" text={t.pairing.deviceLabel} /> : null}
        <DeviceCodeField
          label={t.pairing.serial}
          value={typed.serial_code}
          onChangeText={(serial_code) => write({ ...typed, serial_code }, serial_code)}
          issue={isSerialWrong ? t.basestation.serialIssue : undefined}
        />
        <DeviceCodeField
          label={t.pairing.uuid}
          value={typed.unique_id}
          onChangeText={(unique_id) => write({ ...typed, unique_id }, unique_id)}
          issue={isChecked && issues.includes('unique_id') ? t.issues.unique_id : undefined}
          isId
        />
      </Card>
      <Failure error={connect.error} />
      <Button label={t.basestation.connect} onPress={submit} isBusy={connect.isPending} />
    </>
  )
}
