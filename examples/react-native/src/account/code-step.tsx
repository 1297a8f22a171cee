import type { VerifiedPhone } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Words } from '../ui/words'

interface CodeStepProps {
  phone: string
  onDone: (verified: VerifiedPhone) => void
  onBack: () => void
}

const RESEND_AFTER = 30

/** Takes the code that was sent to the phone. */
export function CodeStep({ phone, onDone, onBack }: CodeStepProps) {
  const { t } = useLanguage()
  const [validnum, setValidnum] = useState('')
  const [wait, setWait] = useState(RESEND_AFTER)
  const verify = useMutation({
    mutationFn: (code: string) => companion.auth.verifyPhone({ phone, validnum: code }),
    onSuccess: onDone,
  })
  const resend = useMutation({
    mutationFn: () => companion.auth.sendSmsCode({ phone }),
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
  const isWhole = /^\d{6}$/.test(validnum)
  return (
    <>
      <Words kind="title">{t.signUp.codeTitle}</Words>
      <Words tone="muted">{t.signUp.codeHint(phone)}</Words>
      <Field
        label={t.signUp.code}
        value={validnum}
        onChangeText={(text) => setValidnum(text.replace(/\D/g, '').slice(0, 6))}
        inputMode="numeric"
        autoComplete="one-time-code"
        hint={t.faults.code}
        onSubmitEditing={() => isWhole && verify.mutate(validnum)}
      />
      <Failure error={verify.error ?? resend.error} />
      <Button
        label={t.signUp.verify}
        onPress={() => verify.mutate(validnum)}
        isBusy={verify.isPending}
        isDisabled={!isWhole}
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
