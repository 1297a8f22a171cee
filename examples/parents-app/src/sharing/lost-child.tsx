import { View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { useReveal } from '../ui/reveal'
import { Words } from '../ui/words'
import type { KnownChild } from './followed'
import { useForget, useLost } from './use-followed'

/** Tells of the children of others who are no longer there. */
export function LostChildren() {
  const { lost, deleted } = useLost()
  // Not before it is known why: what is read must not change.
  return (deleted ? lost : []).map((child) => (
    <LostChild key={child.id} child={child} isDeleted={deleted?.includes(child.id) ?? false} />
  ))
}

/** Tells that a child of somebody else is no longer there, and why, until the parent has read it. */
function LostChild({ child, isDeleted }: { child: KnownChild; isDeleted: boolean }) {
  const { t } = useLanguage()
  const { id, first_name } = child
  const forget = useForget()
  // It appears above what is already shown, from which a browser does not move away.
  const view = useReveal()
  const says = isDeleted ? t.lost.deleted(first_name) : t.lost.ended(first_name)
  return (
    <View ref={view} role="status">
      <Card>
        <Words>{says}</Words>
        <Words kind="label" tone="muted">
          {t.lost.hint}
        </Words>
        <Button kind="quiet" label={t.lost.read} onPress={() => forget(id)} />
      </Card>
    </View>
  )
}
