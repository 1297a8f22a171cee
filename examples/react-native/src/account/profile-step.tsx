import { safe } from '@companion/sdk'
import type { SignUpInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { askForPushToken } from '../push/push-token'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { useSession } from '../session/session'
import { today } from '../time/dates'
import { Button } from '../ui/button'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Notice } from '../ui/notice'
import { SwitchRow } from '../ui/switch-row'
import { Words } from '../ui/words'
import { toBirthdate } from './birthdate'
import { BirthdateField } from './birthdate-field'
import { isEmail } from './email'
import { EmailField } from './email-field'
import { isPassword } from './password'
import { NewPasswordField } from './password-field'
import type { Country } from './phone'

interface ProfileStepProps {
  verified: { country: Country; phone: string; valid_token: string }
  onExpired: () => void
}

/** Makes the account and signs in to it. */
export function ProfileStep({ verified: { country, phone, valid_token }, onExpired }: ProfileStepProps) {
  const { t } = useLanguage()
  const { entered } = useSession()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [birth, setBirth] = useState('')
  const [gender, setGender] = useState<SignUpInput['gender']>('P')
  const [isPush, setPush] = useState(false)
  const [isMarketing, setMarketing] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const birthdate = toBirthdate(birth, today())
  const faults = {
    name: name.trim() === '' ? t.faults.required : undefined,
    email: isEmail(email) ? undefined : t.faults.email,
    password: isPassword(password) ? undefined : t.faults.password,
    birth: birthdate ? undefined : t.faults.birthdate,
  }
  const signUp = useMutation({
    mutationFn: async (input: SignUpInput) => {
      const [, error] = await safe(companion.auth.signUp(input))
      if (error?.data?.detail === 'Token is invalid') return 'expired'
      if (error) throw error
      const token = input.is_push_agree ? await askForPushToken() : undefined
      // The account is there; push messages can be set up again in the settings.
      if (token) await safe(companion.account.setPushToken({ token }))
      return 'entered'
    },
    onSuccess: (outcome) => outcome === 'entered' && entered(),
  })
  const submit = () => {
    setChecked(true)
    if (!birthdate || Object.values(faults).some(Boolean)) return
    signUp.mutate({
      valid_token,
      phone,
      email: email.trim(),
      password,
      first_name: name.trim(),
      last_name: '',
      birthdate,
      gender,
      register_type: 'E',
      is_push_agree: isPush,
      is_marketing_agree: isMarketing,
      national_code: country,
    })
  }
  return (
    <>
      <Words kind="title">{t.signUp.profileTitle}</Words>
      <Field
        label={t.signUp.name}
        value={name}
        onChangeText={setName}
        autoComplete="name"
        fault={isChecked ? faults.name : undefined}
      />
      <EmailField value={email} onChangeText={setEmail} fault={isChecked ? faults.email : undefined} />
      <NewPasswordField
        label={t.signIn.password}
        value={password}
        onChangeText={setPassword}
        fault={isChecked ? faults.password : undefined}
      />
      <BirthdateField value={birth} onChangeText={setBirth} fault={isChecked ? faults.birth : undefined} />
      <Choice
        label={t.signUp.gender}
        value={gender}
        onChange={setGender}
        options={[
          ['F', t.genders.F],
          ['M', t.genders.M],
          ['P', t.genders.P],
        ]}
      />
      <SwitchRow label={t.signUp.push} value={isPush} onChange={setPush} />
      <SwitchRow label={t.signUp.marketing} value={isMarketing} onChange={setMarketing} />
      <Failure error={signUp.error} />
      {signUp.data === 'expired' ? (
        <>
          <Notice kind="danger" text={t.signUp.expired} />
          <Button label={t.signUp.phoneTitle} onPress={onExpired} />
        </>
      ) : (
        <Button label={t.signUp.submit} onPress={submit} isBusy={signUp.isPending} />
      )}
    </>
  )
}
