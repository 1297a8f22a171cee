import type { ConnectBasestationInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { keys } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { CodeField } from './code-field'

/** Connects a base station by the codes on its label. */
export function BasestationForm() {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [serial, setSerial] = useState('')
  const [uniqueId, setUniqueId] = useState('')
  const connect = useMutation({
    mutationFn: (input: ConnectBasestationInput) => companion.basestations.connect(input),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: keys.basestations }),
        queries.invalidateQueries({ queryKey: keys.charts }),
      ]),
  })
  return (
    <>
      <Card>
        <CodeField label={t.pairing.serial} value={serial} onChangeText={setSerial} />
        <CodeField label={t.pairing.uuid} value={uniqueId} onChangeText={setUniqueId} isId />
      </Card>
      <Failure error={connect.error} />
      <Button
        label={t.basestation.connect}
        onPress={() =>
          connect.mutate({
            serial_code: serial.trim().toUpperCase(),
            unique_id: uniqueId.trim().toLowerCase(),
          })
        }
        isBusy={connect.isPending}
        isDisabled={!serial.trim() || !uniqueId.trim()}
      />
    </>
  )
}
