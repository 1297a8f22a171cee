import type { Child, Device } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Words } from '../ui/words'

/** Leads to the deletion of a child. The service requires the id of a device that the child wears. */
export function DeleteChild({ child, device }: { child: Child; device: Device | undefined }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  if (!device?.unique_id) return <Words tone="muted">{t.children.deleteNeedsDevice}</Words>
  return (
    <Button
      kind="danger"
      label={t.children.delete}
      onPress={() => navigation.navigate('DeleteChild', { real_user_id: child.id })}
    />
  )
}
