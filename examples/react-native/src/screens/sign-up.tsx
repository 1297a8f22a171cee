import { useState } from 'react'
import type { Country } from '../account/phone'
import { CodeStep } from '../account/code-step'
import { PhoneStep } from '../account/phone-step'
import { ProfileStep } from '../account/profile-step'
import { useLanguage } from '../i18n/language'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

interface Progress {
  country: Country
  phone?: string
  valid_token?: string
}

/** Phone, code, profile: each step starts with what the one before has proved. */
export function SignUpScreen() {
  const { t, language } = useLanguage()
  const [{ country, phone, valid_token }, setProgress] = useState<Progress>({
    country: language === 'ko' ? 'KR' : 'US',
  })
  const step = valid_token ? 3 : phone ? 2 : 1
  return (
    <Page hasHeader>
      <Words kind="label" tone="muted">
        {t.signUp.step(step, 3)}
      </Words>
      {phone === undefined ? (
        <PhoneStep country={country} onDone={setProgress} />
      ) : valid_token === undefined ? (
        <CodeStep
          phone={phone}
          onBack={() => setProgress({ country })}
          onDone={(verified) => setProgress({ country, phone, ...verified })}
        />
      ) : (
        <ProfileStep verified={{ country, phone, valid_token }} onExpired={() => setProgress({ country })} />
      )}
    </Page>
  )
}
