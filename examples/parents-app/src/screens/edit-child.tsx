import { useQueryClient } from '@tanstack/react-query'
import { DeleteChild } from '../account/delete-child'
import { PersonForm } from '../account/person-form'
import { RenameDevice } from '../account/rename-device'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren, useDevices } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function EditChildScreen({ route }: ScreenProps<'EditChild'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { real_user_id } = route.params
  const family = useChildren()
  const devices = useDevices()
  const child = family.data?.find(({ id }) => id === real_user_id)
  return (
    <Page hasHeader>
      <Loaded query={family}>
        {() =>
          child ? (
            <>
              <PersonForm
                who="child"
                known={child}
                save={async (person) => {
                  await companion.children.update({ real_user_id, ...person })
                  await queries.invalidateQueries({ queryKey: cacheKeys.children })
                }}
              />
              <Loaded query={devices}>
                {(list) => {
                  const worn = list.filter((device) => device.real_user_id === real_user_id)
                  return (
                    <>
                      {worn.map((device) => (
                        <RenameDevice key={device.device_id} device={device} />
                      ))}
                      <DeleteChild child={child} device={worn[0]} />
                    </>
                  )
                }}
              </Loaded>
            </>
          ) : (
            <Words tone="muted">{t.children.gone}</Words>
          )
        }
      </Loaded>
    </Page>
  )
}
