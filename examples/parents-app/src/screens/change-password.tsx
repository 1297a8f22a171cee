import type { ChangePasswordInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isPassword } from '../account/password'
import { NewPasswordField, PasswordField } from '../account/password-field'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'

export function ChangePasswordScreen() {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: (input: ChangePasswordInput) => companion.account.changePassword(input),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      return queries.invalidateQueries({ queryKey: cacheKeys.account })
    },
  })
  const isMissing = !current || !isPassword(next)
  const submit = () => {
    if (!isMissing && !change.isPending) change.mutate({ current_password: current, new_password: next })
  }
  return (
    <Page hasHeader>
      <PasswordField label={t.settings.currentPassword} value={current} onChangeText={setCurrent} />
      <NewPasswordField
        label={t.settings.newPassword}
        value={next}
        onChangeText={setNext}
        issue={next && !isPassword(next) ? t.issues.password : undefined}
        onSubmitEditing={submit}
      />
      <Failure error={change.error} />
      {change.isSuccess ? <Notice text={t.settings.passwordChanged} /> : null}
      <Button
        label={t.settings.changePassword}
        onPress={submit}
        isBusy={change.isPending}
        isDisabled={isMissing}
      />
    </Page>
  )
}
