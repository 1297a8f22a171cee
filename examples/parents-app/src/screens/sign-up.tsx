import type { SignUpInput } from '@companion/sdk'
import { usePreventRemove } from '@react-navigation/native'
import { useState } from 'react'
import { PhoneAndCode } from '../account/phone-and-code'
import { emptyProfile } from '../account/profile-draft'
import { ProfileStep } from '../account/profile-step'
import { usePhoneNumber } from '../account/use-phone-number'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** Phone, code, profile: each step builds on the one before, and going back loses nothing that was typed. */
export function SignUpScreen() {
  const { t } = useLanguage()
  const [number, setNumber] = usePhoneNumber()
  const [draft, setDraft] = useState(emptyProfile)
  const [verified, setVerified] = useState<Pick<SignUpInput, 'phone' | 'national_code' | 'valid_token'>>()
  // A code works once, so a new one has to be sent.
  const verifyAgain = () => setVerified(undefined)
  usePreventRemove(verified !== undefined, verifyAgain)
  return (
    <Page hasHeader>
      <Words kind="label" tone="muted">
        {t.signUp.step(verified ? 3 : number.sentTo ? 2 : 1, 3)}
      </Words>
      {verified ? (
        <ProfileStep verified={verified} draft={draft} onDraft={setDraft} onExpired={verifyAgain} />
      ) : (
        <PhoneAndCode
          hint={t.signUp.phoneHint}
          purpose="signup"
          number={number}
          onNumber={setNumber}
          confirm={async ({ phone, validnum }) => {
            const { valid_token, country } = await companion.auth.verifyPhone({ phone, validnum })
            // The number may have been typed with the calling code of another country than the chosen one.
            return { phone, valid_token, national_code: country ?? number.country }
          }}
          onConfirmed={(proof) => {
            setNumber({ ...number, sentTo: undefined })
            setVerified(proof)
          }}
        />
      )}
    </Page>
  )
}
