import { BasestationForm } from '../account/basestation-form'
import { ConnectedBasestation } from '../account/connected-basestation'
import { cacheKeys } from '../companion/cache-keys'
import { useBasestations } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { isOwnBasestation } from '../sharing/rights'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function BasestationScreen() {
  const { t } = useLanguage()
  const basestations = useBasestations()
  return (
    <Page hasHeader {...useRefresh(cacheKeys.basestations)}>
      <Words tone="muted">{`${t.basestation.hint} ${t.report.needsBasestation}`}</Words>
      <Loaded query={basestations}>
        {(list) => {
          const own = list.filter(isOwnBasestation)
          return own.length === 0 ? (
            <BasestationForm />
          ) : (
            own.map((one) => <ConnectedBasestation key={one.basestation_id} basestation={one} />)
          )
        }}
      </Loaded>
    </Page>
  )
}
