import { ChangeEmail } from '../account/change-email'
import { ConfirmEmail } from '../account/confirm-email'
import { cacheKeys } from '../companion/cache-keys'
import { useAccount } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** The address of the account: whether it is confirmed, and how to set another. */
export function EmailScreen() {
  const { t } = useLanguage()
  const account = useAccount()
  return (
    <Page hasHeader {...useRefresh(cacheKeys.account)}>
      <Loaded query={account}>
        {({ email, is_email_confirmed }) => (
          <>
            {email === null ? (
              <Notice kind="danger" text={t.email.rejected} />
            ) : (
              <Card>
                <Words selectable>{email}</Words>
                {is_email_confirmed ? (
                  <Words tone="muted">{t.email.confirmed}</Words>
                ) : (
                  <ConfirmEmail key={email} email={email} />
                )}
              </Card>
            )}
            <Card title={email === null ? t.email.add : t.email.change}>
              <ChangeEmail key={email} label={email === null ? t.email.add : t.email.change} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  )
}
