import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'

/** Says why an address is to be confirmed, and sends the mail with the link again. */
export function ConfirmEmail({ email }: { email: string }) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const resend = useMutation({
    mutationFn: () => companion.account.sendEmailConfirmation(),
    // The address may have been confirmed meanwhile, and then no mail was sent.
    onSuccess: () => queries.invalidateQueries({ queryKey: cacheKeys.account }),
  })
  return (
    <>
      <Words tone="muted">{t.email.why}</Words>
      <Failure error={resend.error} />
      {resend.isSuccess ? <Notice text={t.email.resent(email)} /> : null}
      <Button
        kind="quiet"
        label={t.email.resend}
        isBusy={resend.isPending}
        isDisabled={resend.isSuccess}
        onPress={() => resend.mutate()}
      />
    </>
  )
}
