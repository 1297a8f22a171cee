import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatPhone } from '../account/phone'
import { PhoneAndCode } from '../account/phone-and-code'
import { usePhoneNumber } from '../account/use-phone-number'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'

export function ChangePhoneScreen() {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [number, setNumber] = usePhoneNumber()
  const [changedTo, setChangedTo] = useState<string>()
  return (
    <Page hasHeader>
      {changedTo ? (
        <Notice text={t.settings.phoneChanged(formatPhone(changedTo))} />
      ) : (
        <PhoneAndCode
          hint={t.settings.changePhoneHint}
          purpose="signup"
          number={number}
          onNumber={setNumber}
          confirm={async (code) => {
            await companion.account.changePhone(code)
            await queries.invalidateQueries({ queryKey: cacheKeys.account })
            return code.phone
          }}
          onConfirmed={setChangedTo}
        />
      )}
    </Page>
  )
}
