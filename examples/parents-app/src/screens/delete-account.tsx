import { Deletion } from '../account/deletion'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useChildren } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'

/** `onSignedOut` handles the rest. */
export function DeleteAccountScreen() {
  const { t } = useLanguage()
  return (
    <Page hasHeader {...useRefresh(keys.account, keys.children, keys.shares, keys.grants)}>
      <Loaded query={useChildren()}>
        {(family) => (
          <Deletion
            says={t.deletion.account}
            label={t.settings.deleteAccount}
            family={family.filter(({ role }) => role === 'owner')}
            onDelete={() => companion.account.delete()}
          />
        )}
      </Loaded>
    </Page>
  )
}
