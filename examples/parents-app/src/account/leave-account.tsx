import { isOffline } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { AskFirst } from '../ui/ask-first'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'

/** Buttons to sign out, even without a connection, and to delete the account. `onSignedOut` handles the rest. */
export function LeaveAccount() {
  const { t } = useLanguage()
  const signOut = useMutation({ mutationFn: () => companion.auth.signOut() })
  const remove = useMutation({ mutationFn: () => companion.account.delete() })
  return (
    <>
      <Failure error={signOut.error ?? remove.error} />
      {isOffline(signOut.error) ? (
        <Button
          kind="quiet"
          label={t.settings.signOutOffline}
          onPress={() => void companion.session.signOut()}
        />
      ) : (
        <Button
          kind="quiet"
          label={t.settings.signOut}
          isBusy={signOut.isPending}
          onPress={() => signOut.mutate()}
        />
      )}
      <AskFirst
        label={t.settings.deleteAccount}
        question={t.settings.deleteQuestion}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
