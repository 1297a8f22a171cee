import type { FoundAccount } from '@companion/sdk'
import { useState } from 'react'
import { PhoneAndCode } from '../account/phone-and-code'
import { usePhoneNumber } from '../account/use-phone-number'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** Shows the e-mail of an account to the person who holds its phone. */
export function FindAccountScreen({ navigation }: ScreenProps<'FindAccount'>) {
  const { t } = useLanguage()
  const [number, setNumber] = usePhoneNumber()
  const [found, setFound] = useState<FoundAccount>()
  if (!found)
    return (
      <Page hasHeader>
        <PhoneAndCode
          hint={t.signIn.findHint}
          purpose="recovery"
          number={number}
          onNumber={setNumber}
          confirm={(code) => companion.auth.findAccount(code)}
          onConfirmed={setFound}
        />
      </Page>
    )
  const { email, provider } = found
  return (
    <Page hasHeader>
      <Card title={t.signIn.found}>
        <Words selectable>{email}</Words>
        {provider === 'email' ? null : <Words tone="muted">{t.signIn.foundSocial(provider)}</Words>}
      </Card>
      {provider === 'email' ? (
        <>
          <Button label={t.signIn.useFound} onPress={() => navigation.popTo('SignIn', { email })} />
          <Button kind="quiet" label={t.signIn.forgot} onPress={() => navigation.replace('ResetPassword')} />
        </>
      ) : null}
    </Page>
  )
}
