import { safe } from '@companion/sdk'
import type { SignUpInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { useSession } from '../session/session'
import { today } from '../time/dates'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { SwitchRow } from '../ui/switch-row'
import { Words } from '../ui/words'
import { EmailField } from './email-field'
import { NewPasswordField } from './password-field'
import { PersonFields } from './person-fields'
import { readProfile } from './profile-draft'
import type { ProfileDraft } from './profile-draft'
import { PushAgreement } from './push-agreement'

interface ProfileStepProps {
  verified: Pick<SignUpInput, 'phone' | 'national_code' | 'valid_token'>
  draft: ProfileDraft
  onDraft: (draft: ProfileDraft) => void
  onExpired: () => void
}

const genders = ['F', 'M', 'P'] as const

/** Creates the account and signs in to it. */
export function ProfileStep({ verified, draft, onDraft, onExpired }: ProfileStepProps) {
  const { t } = useLanguage()
  const { entered } = useSession()
  const [isChecked, setChecked] = useState(false)
  const { profile, issues } = readProfile(draft, today())
  const shown = isChecked ? issues : []
  const signUp = useMutation({
    mutationFn: async (input: SignUpInput) => {
      const [, error] = await safe(companion.auth.signUp(input))
      if (error?.data?.detail === 'Token is invalid') return 'expired'
      if (error) throw error
      return 'entered'
    },
    onSuccess: (outcome) => outcome === 'entered' && entered(),
  })
  const submit = () => {
    setChecked(true)
    if (profile) signUp.mutate({ ...profile, ...verified, register_type: 'E' })
  }
  return (
    <>
      <Words kind="title">{t.signUp.profileTitle}</Words>
      <PersonFields
        who="parent"
        typed={draft}
        genders={genders}
        issues={shown.filter((issue) => issue === 'name' || issue === 'birth')}
        onChange={(person) => onDraft({ ...draft, ...person })}
      />
      <EmailField
        value={draft.email}
        onChangeText={(email) => onDraft({ ...draft, email })}
        issue={shown.includes('email') ? t.issues.email : undefined}
      />
      <NewPasswordField
        label={t.signIn.password}
        value={draft.password}
        onChangeText={(password) => onDraft({ ...draft, password })}
        issue={shown.includes('password') ? t.issues.password : undefined}
      />
      <PushAgreement isAgreed={draft.isPush} onChange={(isPush) => onDraft({ ...draft, isPush })} />
      <SwitchRow
        label={t.signUp.marketing}
        value={draft.isMarketing}
        onChange={(isMarketing) => onDraft({ ...draft, isMarketing })}
      />
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
