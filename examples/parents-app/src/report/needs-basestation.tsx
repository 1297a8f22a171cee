import { useNavigation } from '@react-navigation/native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { FullState } from '../ui/full-state'

export function NeedsBasestation({ isShared }: { isShared: boolean }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  return (
    <Card>
      {isShared ? (
        <FullState
          icon="report"
          title={t.report.needsBasestation}
          text={`${t.report.whyBasestation} ${t.report.ownerConnects}`}
        />
      ) : (
        <FullState
          icon="report"
          title={t.report.needsBasestation}
          text={`${t.report.whyBasestation} ${t.basestation.hint}`}
        >
          <Button label={t.basestation.connect} onPress={() => navigation.navigate('Basestation')} />
        </FullState>
      )}
    </Card>
  )
}
