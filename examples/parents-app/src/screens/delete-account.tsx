import { ConfirmDeletion } from '../account/confirm-deletion'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'

/** `onSignedOut` handles the rest. */
export function DeleteAccountScreen() {
  const { t } = useLanguage()
  return (
    <Page
      hasHeader
      {...useRefresh(cacheKeys.account, cacheKeys.children, cacheKeys.shares, cacheKeys.grants)}
    >
      <Loaded query={useChildren()}>
        {(family) => (
          <ConfirmDeletion
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
