import { useNavigation } from '@react-navigation/native'
import { AccountLanguage } from '../account/account-language'
import { AlertSwitches } from '../account/alert-switches'
import { ConsentSwitches } from '../account/consent-switches'
import { describeEmail } from '../account/describe-email'
import { SignOutOrDelete } from '../account/sign-out-or-delete'
import { formatPhone } from '../account/phone'
import { cacheKeys } from '../companion/cache-keys'
import { useAccount, usePolicy } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Columns } from '../ui/columns'
import { LinkRow } from '../ui/link-row'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function SettingsScreen() {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const account = useAccount()
  const policy = usePolicy()
  return (
    <Page hasColumns {...useRefresh(cacheKeys.account, cacheKeys.policy)}>
      <Words kind="title">{t.tabs.settings}</Words>
      <Columns>
        <>
          <Card>
            <LinkRow label={t.settings.children} onPress={() => navigation.navigate('Children')} />
            <LinkRow label={t.basestation.title} onPress={() => navigation.navigate('Basestation')} />
            <LinkRow label={t.clinics.connect} onPress={() => navigation.navigate('ConnectClinic', {})} />
            <LinkRow label={t.connections.title} onPress={() => navigation.navigate('ConnectedApps')} />
          </Card>
          <Card title={t.settings.alerts}>
            <Loaded query={account}>
              {(data) => <AlertSwitches account={data} isPushOff={policy.data?.is_push_agree === false} />}
            </Loaded>
          </Card>
          <Card title={t.settings.consent}>
            <Loaded query={policy}>{(data) => <ConsentSwitches policy={data} />}</Loaded>
          </Card>
        </>
        <>
          <Card title={t.settings.language}>
            <AccountLanguage account={account.data} />
          </Card>
          <Card title={t.settings.profile}>
            <LinkRow
              label={t.settings.details}
              hint={account.data?.first_name}
              onPress={() => navigation.navigate('Profile')}
            />
            <LinkRow
              label={t.signIn.email}
              hint={account.data && describeEmail(account.data, t)}
              onPress={() => navigation.navigate('Email')}
            />
            <LinkRow
              label={t.signUp.phone}
              hint={account.data && formatPhone(account.data.phone)}
              onPress={() => navigation.navigate('ChangePhone')}
            />
            <LinkRow
              label={t.settings.changePassword}
              onPress={() => navigation.navigate('ChangePassword')}
            />
            <LinkRow label={t.exportData.title} onPress={() => navigation.navigate('ExportData')} />
            <SignOutOrDelete />
          </Card>
        </>
      </Columns>
    </Page>
  )
}
