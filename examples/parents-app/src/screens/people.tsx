import { ConnectedClinics } from '../clinics/connected-clinics'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren, useConnections, useShares } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { InviteForm } from '../sharing/invite-form'
import { Members } from '../sharing/members'
import { WhoLooked } from '../sharing/who-looked'
import { Loaded } from '../ui/loaded'
import { Columns } from '../ui/columns'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function PeopleScreen({ route }: ScreenProps<'People'>) {
  const { t } = useLanguage()
  const { real_user_id, connectedBefore } = route.params
  const child = useChildren().data?.find(({ id }) => id === real_user_id)
  const shares = useShares(real_user_id)
  const connections = useConnections(real_user_id)
  const isStillConnected = connections.data?.some(({ clinic }) => clinic.name === connectedBefore)
  return (
    <Page hasHeader hasColumns {...useRefresh(cacheKeys.shares, cacheKeys.clinics)}>
      {isStillConnected ? <Notice text={t.clinics.already} /> : null}
      <Words tone="muted">{t.sharing.hint(child?.first_name ?? '')}</Words>
      <Columns>
        <>
          <Loaded query={shares}>{(known) => (child ? <Members child={child} {...known} /> : null)}</Loaded>
          <InviteForm childId={real_user_id} invitations={shares.data?.invitations ?? []} />
        </>
        <>
          {child ? <ConnectedClinics child={child} /> : null}
          <WhoLooked childId={real_user_id} />
        </>
      </Columns>
    </Page>
  )
}
