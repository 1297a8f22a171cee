import type { SendSmsCodeInput, VerifyPhoneInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Words } from '../ui/words'
import { formatPhone } from './phone'

interface CodeStepProps<Proof> {
  phone: string
  purpose: SendSmsCodeInput['purpose']
  /** Sends the code to the service. */
  confirm: (code: VerifyPhoneInput) => Promise<Proof>
  onConfirmed: (proof: Proof) => void
  onBack: () => void
}

const RESEND_AFTER = 30

const isWhole = (code: string) => /^\d{6}$/.test(code)

/** Asks for the code that was sent to the phone. */
export function CodeStep<Proof>({ phone, purpose, confirm, onConfirmed, onBack }: CodeStepProps<Proof>) {
  const { t } = useLanguage()
  const [validnum, setValidnum] = useState('')
  const [wait, setWait] = useState(RESEND_AFTER)
  const verify = useMutation({
    mutationFn: (code: string) => confirm({ phone, validnum: code }),
    onSuccess: onConfirmed,
  })
  const resend = useMutation({
    mutationFn: () => companion.auth.sendSmsCode({ phone, purpose }),
    onSuccess: () => {
      setWait(RESEND_AFTER)
      setValidnum('')
      verify.reset()
    },
  })
  useEffect(() => {
    if (wait === 0) return undefined
    const second = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(second)
  }, [wait])
  const submit = (code = validnum) => {
    if (isWhole(code) && !verify.isPending) verify.mutate(code)
  }
  const type = (text: string) => {
    const code = text.replace(/\D/g, '').slice(0, 6)
    setValidnum(code)
    // A complete code needs no button. The same one is not sent again by itself.
    if (code !== validnum && code !== verify.variables) submit(code)
  }
  return (
    <>
      <Words kind="title">{t.signUp.codeTitle}</Words>
      <Words tone="muted">{t.signUp.codeHint(formatPhone(phone))}</Words>
      <Field
        label={t.signUp.code}
        value={validnum}
        onChangeText={type}
        inputMode="numeric"
        autoComplete="one-time-code"
        hint={t.issues.code}
        onSubmitEditing={() => submit()}
      />
      <Failure error={verify.error ?? resend.error} />
      <Button
        label={t.signUp.verify}
        onPress={() => submit()}
        isBusy={verify.isPending}
        isDisabled={!isWhole(validnum)}
      />
      <Button
        kind="quiet"
        label={wait > 0 ? t.signUp.resendIn(wait) : t.signUp.resend}
        onPress={() => resend.mutate()}
        isBusy={resend.isPending}
        isDisabled={wait > 0}
      />
      <Button kind="quiet" label={t.signUp.changePhone} onPress={onBack} />
    </>
  )
}
