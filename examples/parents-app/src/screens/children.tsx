import { ChildCard } from '../account/child-card'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren, useDevices } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { LostChildren } from '../sharing/lost-child'
import { memberRole } from '../sharing/rights'
import { SharedChild } from '../sharing/shared-child'
import { useLost } from '../sharing/use-followed'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { FullState } from '../ui/full-state'
import { Page } from '../ui/page'

export function ChildrenScreen({ navigation }: ScreenProps<'Children'>) {
  const { t } = useLanguage()
  const all = useChildren()
  const devices = useDevices()
  const { lost } = useLost()
  return (
    <Page hasHeader {...useRefresh(cacheKeys.children, cacheKeys.devices, cacheKeys.shares)}>
      <LostChildren />
      <Loaded query={all}>
        {(family) =>
          family.length === 0 ? (
            <FullState
              icon="today"
              title={lost.length > 0 ? t.lost.title : t.children.emptyTitle}
              text={t.children.empty}
            />
          ) : (
            <Loaded query={devices}>
              {(list) =>
                family.map((child) => {
                  const role = memberRole(child)
                  return role ? (
                    <SharedChild key={child.id} child={child} role={role} />
                  ) : (
                    <ChildCard
                      key={child.id}
                      child={child}
                      devices={list.filter(({ real_user_id }) => real_user_id === child.id)}
                      onEdit={() => navigation.navigate('EditChild', { real_user_id: child.id })}
                      onPair={() => navigation.navigate('PairDevice', { real_user_id: child.id })}
                      onPeople={() => navigation.navigate('People', { real_user_id: child.id })}
                    />
                  )
                })
              }
            </Loaded>
          )
        }
      </Loaded>
      <Button label={t.children.add} onPress={() => navigation.navigate('AddChild')} />
      <Button
        kind="quiet"
        label={t.sharing.acceptTitle}
        onPress={() => navigation.navigate('AcceptInvitation')}
      />
    </Page>
  )
}
