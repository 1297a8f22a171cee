import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isEmail } from '../account/email'
import { EmailField } from '../account/email-field'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function ResetPasswordScreen() {
  const { t } = useLanguage()
  const [email, setEmail] = useState('')
  const reset = useMutation({
    mutationFn: (address: string) => companion.auth.requestPasswordReset({ email: address }),
  })
  const isMissing = !isEmail(email)
  const submit = () => {
    if (!isMissing && !reset.isPending) reset.mutate(email.trim())
  }
  return (
    <Page hasHeader>
      <Words tone="muted">{t.signIn.resetHint}</Words>
      <EmailField value={email} onChangeText={setEmail} onSubmitEditing={submit} />
      <Failure error={reset.error} />
      {reset.isSuccess ? <Notice text={t.signIn.resetSent} /> : null}
      <Button label={t.signIn.resetSubmit} onPress={submit} isBusy={reset.isPending} isDisabled={isMissing} />
    </Page>
  )
}
