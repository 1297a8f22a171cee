import type { CreateChildInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DeviceCodeFields } from '../account/device-code-fields'
import { PersonFields } from '../account/person-fields'
import { useDeviceCodes } from '../account/use-device-codes'
import { usePerson } from '../account/use-person'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { useChosenChild } from '../session/chosen-child'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Page } from '../ui/page'

export function AddChildScreen({ navigation }: ScreenProps<'AddChild'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { choose } = useChosenChild(undefined)
  const child = usePerson()
  const device = useDeviceCodes()
  const create = useMutation({
    mutationFn: (input: CreateChildInput) => companion.children.create(input),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: cacheKeys.children }),
        queries.invalidateQueries({ queryKey: cacheKeys.devices }),
      ]),
  })
  const submit = () => {
    const [person, codes] = [child.check(), device.check()]
    if (!person || !codes) return
    create.mutate(
      { ...person, last_name: '', ...codes },
      {
        // React Query skips this callback if the parent has left the screen.
        onSuccess: ({ real_user_id }) => {
          choose(real_user_id)
          navigation.popToTop()
        },
      },
    )
  }
  return (
    <Page hasHeader>
      <Card>
        <PersonFields who="child" {...child.fields} />
      </Card>
      <Card title={t.pairing.title}>
        <DeviceCodeFields {...device.fields} />
      </Card>
      <Failure error={create.error} />
      <Button label={t.pairing.submitChild} onPress={submit} isBusy={create.isPending} />
    </Page>
  )
}
