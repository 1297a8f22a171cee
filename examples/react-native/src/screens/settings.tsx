import { useMutation } from '@tanstack/react-query'
import { isOffline } from '@companion/sdk'
import { AlertSwitches } from '../account/alert-switches'
import { ConsentSwitches } from '../account/consent-switches'
import { companion } from '../companion/client'
import { keys, useAccount, usePolicy } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { LanguageChoice } from '../i18n/language-choice'
import { Answered } from '../ui/answered'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { LinkRow } from '../ui/link-row'
import { Page } from '../ui/page'
import { Words } from '../ui/words'
import { useNavigation } from '@react-navigation/native'

export function SettingsScreen() {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const account = useAccount()
  const policy = usePolicy()
  const signOut = useMutation({ mutationFn: () => companion.auth.signOut() })
  return (
    <Page {...useRefresh(keys.account, keys.policy)}>
      <Words kind="title">{t.tabs.settings}</Words>
      <Card>
        <LinkRow label={t.settings.children} onPress={() => navigation.navigate('Children')} />
        <LinkRow label={t.basestation.title} onPress={() => navigation.navigate('Basestation')} />
      </Card>
      <Card title={t.settings.alerts}>
        <Answered query={account}>{(data) => <AlertSwitches account={data} />}</Answered>
      </Card>
      <Card title={t.settings.consent}>
        <Answered query={policy}>{(data) => <ConsentSwitches policy={data} />}</Answered>
      </Card>
      <Card title={t.settings.language}>
        <LanguageChoice isLabelShown={false} />
      </Card>
      <Card title={t.settings.profile} aside={account.data?.first_name}>
        <LinkRow label={t.settings.changePassword} onPress={() => navigation.navigate('ChangePassword')} />
        <Failure error={signOut.error} />
        {isOffline(signOut.error) ? (
          <Button
            kind="danger"
            label={t.settings.signOutOffline}
            onPress={() => void companion.session.signOut()}
          />
        ) : (
          <Button
            kind="danger"
            label={t.settings.signOut}
            isBusy={signOut.isPending}
            onPress={() => signOut.mutate()}
          />
        )}
      </Card>
    </Page>
  )
}
