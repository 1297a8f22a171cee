import type { SendSmsCodeInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Words } from '../ui/words'
import { toE164 } from './phone'
import type { PhoneNumber } from './phone'

interface PhoneStepProps {
  hint: string
  purpose: SendSmsCodeInput['purpose']
  number: PhoneNumber
  onNumber: (number: PhoneNumber) => void
}

/** Asks for a phone number and sends a code to it. */
export function PhoneStep({ hint, purpose, number, onNumber }: PhoneStepProps) {
  const { t } = useLanguage()
  const { country, typed } = number
  const [isChecked, setChecked] = useState(false)
  const phone = toE164(country, typed)
  const send = useMutation({
    mutationFn: (to: string) => companion.auth.sendSmsCode({ phone: to, purpose }),
    onSuccess: (_, sentTo) => onNumber({ ...number, sentTo }),
  })
  const submit = () => {
    setChecked(true)
    if (phone && !send.isPending) send.mutate(phone)
  }
  return (
    <>
      <Words kind="title">{t.signUp.phoneTitle}</Words>
      <Words tone="muted">{hint}</Words>
      <Choice
        label={t.signUp.country}
        value={country}
        onChange={(chosen) => onNumber({ ...number, country: chosen })}
        options={[
          ['KR', t.signUp.countries.KR],
          ['US', t.signUp.countries.US],
        ]}
      />
      <Field
        label={t.signUp.phone}
        value={typed}
        onChangeText={(text) => onNumber({ ...number, typed: text })}
        inputMode="tel"
        autoComplete="tel"
        placeholder={country === 'KR' ? '010-1234-5678' : '(212) 555-0123'}
        fault={isChecked && !phone ? t.faults.phone : undefined}
        onSubmitEditing={submit}
      />
      <Failure error={send.error} />
      <Button label={t.signUp.sendCode} onPress={submit} isBusy={send.isPending} />
    </>
  )
}
