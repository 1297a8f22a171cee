import { useMutation } from '@tanstack/react-query'
import { useLanguage } from '../i18n/language'
import { push } from '../push/push'
import { Notice } from '../ui/notice'
import { SwitchRow } from '../ui/switch-row'

interface PushAgreementProps {
  isAgreed: boolean
  onChange: (isAgreed: boolean) => void
}

/** Consent to push messages during sign-up. The switch turns on once the phone has allowed them. */
export function PushAgreement({ isAgreed, onChange }: PushAgreementProps) {
  const { t } = useLanguage()
  const ask = useMutation({
    mutationFn: () => push.ask(),
    onSuccess: (token) => onChange(token !== undefined),
  })
  if (!push.isAvailable) return null
  return (
    <>
      <SwitchRow
        label={t.signUp.push}
        value={isAgreed}
        isDisabled={ask.isPending}
        onChange={(isWanted) => (isWanted ? ask.mutate() : onChange(false))}
      />
      {ask.isSuccess && ask.data === undefined ? (
        <Notice kind="danger" text={t.settings.pushUnavailable} />
      ) : null}
    </>
  )
}
