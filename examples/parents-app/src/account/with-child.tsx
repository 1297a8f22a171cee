import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import type { ReactNode } from 'react'
import { useChildren } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useChosenChild } from '../session/chosen-child'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { FullState } from '../ui/full-state'
import { ChildSwitch } from './child-switch'

/** Renders a screen for the chosen child, or an invitation to add one. */
export function WithChild({ children }: { children: (child: ListedChild) => ReactNode }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const all = useChildren()
  const { child, choose } = useChosenChild(all.data)
  return (
    <Loaded query={all}>
      {(family) =>
        child ? (
          <>
            <ChildSwitch family={family} child={child} onChoose={choose} />
            {children(child)}
          </>
        ) : (
          <FullState icon="today" title={t.children.emptyTitle} text={t.children.empty}>
            <Button label={t.children.add} onPress={() => navigation.navigate('AddChild')} />
            <Button
              kind="quiet"
              label={t.sharing.acceptTitle}
              onPress={() => navigation.navigate('AcceptInvitation')}
            />
          </FullState>
        )
      }
    </Loaded>
  )
}
