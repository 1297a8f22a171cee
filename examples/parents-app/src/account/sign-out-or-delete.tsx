import { isOffline } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'

/** Buttons to sign out, even without a connection, and to delete the account. `onSignedOut` handles the rest. */
export function SignOutOrDelete() {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const signOut = useMutation({ mutationFn: () => companion.auth.signOut() })
  return (
    <>
      <Failure error={signOut.error} />
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
      <Button
        kind="danger"
        label={t.settings.deleteAccount}
        onPress={() => navigation.navigate('DeleteAccount')}
      />
    </>
  )
}
