import type { ConnectDeviceInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeviceCodeFields } from '../account/device-code-fields'
import { useDeviceCodes } from '../account/use-device-codes'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Page } from '../ui/page'

export function PairDeviceScreen({ navigation, route }: ScreenProps<'PairDevice'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { fields, check } = useDeviceCodes()
  const connect = useMutation({
    mutationFn: (input: ConnectDeviceInput) => companion.devices.connect(input),
    onSuccess: () => queries.invalidateQueries({ queryKey: cacheKeys.devices }),
  })
  const submit = () => {
    const codes = check()
    if (!codes) return
    const input = { ...codes, real_user_id: route.params.real_user_id }
    // React Query skips this callback if the parent has left the screen.
    connect.mutate(input, { onSuccess: () => navigation.goBack() })
  }
  return (
    <Page hasHeader>
      <Card>
        <DeviceCodeFields {...fields} />
      </Card>
      <Failure error={connect.error} />
      <Button label={t.pairing.submit} onPress={submit} isBusy={connect.isPending} />
    </Page>
  )
}
