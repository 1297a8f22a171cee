import { cacheKeys } from '../companion/cache-keys'
import { useGrants } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { ConnectedApp } from '../connections/connected-app'
import { useLanguage } from '../i18n/language'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function ConnectedAppsScreen() {
  const { t } = useLanguage()
  return (
    <Page hasHeader {...useRefresh(cacheKeys.grants)}>
      <Words tone="muted">{t.connections.hint}</Words>
      <Loaded query={useGrants()}>
        {(grants) =>
          grants.length === 0 ? (
            <Words>{t.connections.none}</Words>
          ) : (
            grants.map((grant) => <ConnectedApp key={grant.grant_id} grant={grant} />)
          )
        }
      </Loaded>
    </Page>
  )
}
