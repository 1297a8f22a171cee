import type { Device } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'

/** Lets the family name a device. */
export function RenameDevice({ device }: { device: Device }) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [alias, setAlias] = useState(device.device_alias)
  const device_alias = alias.trim()
  const rename = useMutation({
    mutationFn: () => companion.devices.rename({ device_id: device.device_id, device_alias }),
    onSuccess: () => queries.invalidateQueries({ queryKey: cacheKeys.devices }),
  })
  const isSame = device_alias === '' || device_alias === device.device_alias
  const submit = () => {
    if (!isSame && !rename.isPending) rename.mutate()
  }
  return (
    <Card title={device.serial_code}>
      <Field
        label={t.children.deviceName}
        value={alias}
        onChangeText={setAlias}
        maxLength={100}
        onSubmitEditing={submit}
      />
      <Failure error={rename.error} />
      <Button label={t.children.rename} onPress={submit} isBusy={rename.isPending} isDisabled={isSame} />
    </Card>
  )
}
