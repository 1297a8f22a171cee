import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useDevices } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { memberRole } from '../sharing/rights'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { FullState } from '../ui/full-state'

/** Shown for a child without a night in the last 30 days. Most often that child wears no device. */
export function NoNights({ child }: { child: ListedChild }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const { data: devices } = useDevices()
  const hasNone = devices?.every(({ real_user_id }) => real_user_id !== child.id)
  return (
    <Card>
      {hasNone && !memberRole(child) ? (
        <FullState icon="today" title={t.children.noDevice} text={t.today.noDeviceHint}>
          <Button
            label={t.children.pair}
            onPress={() => navigation.navigate('PairDevice', { real_user_id: child.id })}
          />
        </FullState>
      ) : (
        <FullState icon="today" title={t.today.noNights} text={t.today.noNightsHint} />
      )}
    </Card>
  )
}
