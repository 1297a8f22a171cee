import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import type { ReactNode } from 'react'
import { useChildren } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useChosenChild } from '../session/chosen-child'
import { LostChildren } from '../sharing/lost-child'
import { useLost } from '../sharing/use-followed'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { FullState } from '../ui/full-state'
import { ChildSwitch } from './child-switch'

/** Renders a screen for the chosen child, or an invitation to add one; before it, who is no longer there. */
export function WithChild({ children }: { children: (child: ListedChild) => ReactNode }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const all = useChildren()
  const { child, choose } = useChosenChild(all.data)
  const { lost } = useLost()
  return (
    <Loaded query={all}>
      {(family) =>
        child ? (
          <>
            <LostChildren />
            <ChildSwitch family={family} child={child} onChoose={choose} />
            {children(child)}
          </>
        ) : (
          <>
            <LostChildren />
            <FullState
              icon="today"
              title={lost.length > 0 ? t.lost.title : t.children.emptyTitle}
              text={t.children.empty}
            >
              <Button label={t.children.add} onPress={() => navigation.navigate('AddChild')} />
              <Button
                kind="quiet"
                label={t.sharing.acceptTitle}
                onPress={() => navigation.navigate('AcceptInvitation')}
              />
            </FullState>
          </>
        )
      }
    </Loaded>
  )
}
