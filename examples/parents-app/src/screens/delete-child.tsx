import { useQueryClient } from '@tanstack/react-query'
import { ConfirmDeletion } from '../account/confirm-deletion'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren, useDevices } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function DeleteChildScreen({ route, navigation }: ScreenProps<'DeleteChild'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { real_user_id } = route.params
  const family = useChildren()
  const devices = useDevices()
  const child = family.data?.find(({ id, role }) => id === real_user_id && role === 'owner')
  const unique_id = devices.data?.find((device) => device.real_user_id === real_user_id)?.unique_id
  const remove = async (device: string) => {
    await companion.children.delete({ real_user_id, unique_id: device })
    // Only if the parent is still here. Reloading the children unmounts this.
    if (navigation.isFocused()) navigation.popTo('Children')
    // This phone drops the charts and days of the deleted child too.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[2] === real_user_id })
    await Promise.all([
      queries.invalidateQueries({ queryKey: cacheKeys.children }),
      queries.invalidateQueries({ queryKey: cacheKeys.devices }),
    ])
  }
  return (
    <Page
      hasHeader
      {...useRefresh(cacheKeys.children, cacheKeys.devices, cacheKeys.shares, cacheKeys.grants)}
    >
      <Loaded query={family}>
        {() =>
          child ? (
            <Loaded query={devices}>
              {() =>
                unique_id ? (
                  <ConfirmDeletion
                    says={t.deletion.child(child.first_name)}
                    label={t.children.delete}
                    family={[child]}
                    onDelete={() => remove(unique_id)}
                  />
                ) : (
                  <Words tone="muted">{t.children.deleteNeedsDevice}</Words>
                )
              }
            </Loaded>
          ) : (
            <Words tone="muted">{t.children.gone}</Words>
          )
        }
      </Loaded>
    </Page>
  )
}
