import type { SignInInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { View } from 'react-native'
import { EmailField } from '../account/email-field'
import { PasswordField } from '../account/password-field'
import { SupportLink } from '../account/support-link'
import { companion } from '../companion/client'
import { isBlocked } from '../i18n/describe-failure'
import { useLanguage } from '../i18n/language'
import { LanguageChoice } from '../i18n/language-choice'
import type { ScreenProps } from '../navigation/routes'
import { useSession } from '../session/session'
import { usePendingLink } from '../sharing/pending-link'
import { Brand } from '../ui/brand'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'

export function SignInScreen({ navigation, route }: ScreenProps<'SignIn'>) {
  const { t } = useLanguage()
  const { state, entered } = useSession()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const found = route.params
  const opened = usePendingLink().link?.kind
  useEffect(() => {
    if (found) setUsername(found.email)
  }, [found])
  const signIn = useMutation({
    mutationFn: (input: SignInInput) => companion.auth.signIn(input),
    onSuccess: entered,
  })
  const isMissing = username.trim() === '' || password === ''
  const submit = () => {
    if (!isMissing && !signIn.isPending) signIn.mutate({ username: username.trim(), password })
  }
  const reason = state.status === 'out' ? state.reason : undefined
  return (
    <Page>
      <Brand />
      {opened === 'invitation' ? <Notice text={t.sharing.signInFirst} /> : null}
      {opened === 'clinic' ? <Notice text={t.clinics.signInFirst} /> : null}
      {reason && signIn.isIdle ? <Notice text={t.ended[reason]} /> : null}
      <EmailField value={username} onChangeText={setUsername} />
      <PasswordField
        label={t.signIn.password}
        value={password}
        onChangeText={setPassword}
        onSubmitEditing={submit}
      />
      <Failure error={signIn.error} />
      {isBlocked(signIn.error) || (reason === 'blocked' && signIn.isIdle) ? <SupportLink /> : null}
      <Button label={t.signIn.submit} onPress={submit} isBusy={signIn.isPending} isDisabled={isMissing} />
      <Button kind="quiet" label={t.signIn.create} onPress={() => navigation.navigate('SignUp')} />
      <Button kind="quiet" label={t.signIn.forgot} onPress={() => navigation.navigate('ResetPassword')} />
      <Button kind="quiet" label={t.signIn.forgotEmail} onPress={() => navigation.navigate('FindAccount')} />
      <View style={{ flexGrow: 1 }} />
      <LanguageChoice isLabelShown={false} />
    </Page>
  )
}
