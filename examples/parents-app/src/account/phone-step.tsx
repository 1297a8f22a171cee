import type { SendSmsCodeInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { usePhoneCountries } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Words } from '../ui/words'
import { offeredCountries, OTHER, toE164, usualCountries } from './phone'
import type { PhoneNumber } from './phone'

const PLACEHOLDERS: Record<string, string> = {
  KR: '010-1234-5678',
  US: '(212) 555-0123',
  [OTHER]: '+44 7911 123456',
}

interface PhoneStepProps {
  hint: string
  purpose: SendSmsCodeInput['purpose']
  number: PhoneNumber
  onNumber: (number: PhoneNumber) => void
}

/** Asks for a phone number and sends a code to it. */
export function PhoneStep({ hint, purpose, number, onNumber }: PhoneStepProps) {
  const { t, language } = useLanguage()
  const { data: served = usualCountries } = usePhoneCountries()
  const { named, hasOthers } = offeredCountries(served)
  const choices = [
    ...named.map((each) => [each.country, `${each.names[language]} ${each.calling_code}`] as const),
    ...(hasOthers ? [[OTHER, t.signUp.otherCountry] as const] : []),
  ]
  const { typed } = number
  // The country that was guessed may not be served.
  const country = choices.some(([each]) => each === number.country)
    ? number.country
    : (choices[0]?.[0] ?? OTHER)
  const [isChecked, setChecked] = useState(false)
  const phone = toE164(served, { country, typed })
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
      {choices.length > 1 ? (
        <Choice
          label={t.signUp.country}
          value={country}
          onChange={(chosen) => onNumber({ ...number, country: chosen })}
          options={choices}
        />
      ) : null}
      <Field
        label={t.signUp.phone}
        value={typed}
        onChangeText={(text) => onNumber({ ...number, typed: text })}
        inputMode="tel"
        autoComplete="tel"
        placeholder={PLACEHOLDERS[country]}
        hint={country === OTHER ? t.signUp.withCallingCode : undefined}
        issue={isChecked && !phone ? t.issues.phone : undefined}
        onSubmitEditing={submit}
      />
      <Failure error={send.error} />
      <Button label={t.signUp.sendCode} onPress={submit} isBusy={send.isPending} />
    </>
  )
}
