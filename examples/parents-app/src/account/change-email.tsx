import type { ChangeEmailInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { isEmail } from './email'
import { EmailField } from './email-field'
import { PasswordField } from './password-field'

/** Asks for another address. It becomes that of the account when the link that is sent to it is confirmed. */
export function ChangeEmail({ label }: { label: string }) {
  const { t } = useLanguage()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: async (input: ChangeEmailInput) => {
      await companion.account.changeEmail(input)
      return input.email
    },
    onSuccess: () => {
      setEmail('')
      setPassword('')
    },
  })
  const isMissing = !isEmail(email) || password === ''
  const submit = () => {
    if (!isMissing && !change.isPending) change.mutate({ email: email.trim(), password })
  }
  return (
    <>
      <Words tone="muted">{t.email.changeHint}</Words>
      <EmailField label={t.email.next} value={email} onChangeText={setEmail} />
      <PasswordField
        label={t.settings.currentPassword}
        value={password}
        onChangeText={setPassword}
        onSubmitEditing={submit}
      />
      <Failure error={change.error} />
      {change.isSuccess ? <Notice text={t.email.sent(change.data)} /> : null}
      <Button label={label} onPress={submit} isBusy={change.isPending} isDisabled={isMissing} />
    </>
  )
}
