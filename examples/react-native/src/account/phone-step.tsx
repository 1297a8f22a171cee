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
import type { Country } from './phone'

interface PhoneStepProps {
  country: Country
  onDone: (done: { country: Country; phone: string }) => void
}

/** Sends a code to the phone. */
export function PhoneStep({ country: likely, onDone }: PhoneStepProps) {
  const { t } = useLanguage()
  const [country, setCountry] = useState(likely)
  const [typed, setTyped] = useState('')
  const [isChecked, setChecked] = useState(false)
  const phone = toE164(country, typed)
  const send = useMutation({
    mutationFn: (to: string) => companion.auth.sendSmsCode({ phone: to }),
    onSuccess: (_, to) => onDone({ country, phone: to }),
  })
  const submit = () => {
    setChecked(true)
    if (phone) send.mutate(phone)
  }
  return (
    <>
      <Words kind="title">{t.signUp.phoneTitle}</Words>
      <Words tone="muted">{t.signUp.phoneHint}</Words>
      <Choice
        label={t.signUp.country}
        value={country}
        onChange={setCountry}
        options={[
          ['KR', t.signUp.countries.KR],
          ['US', t.signUp.countries.US],
        ]}
      />
      <Field
        label={t.signUp.phone}
        value={typed}
        onChangeText={setTyped}
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
