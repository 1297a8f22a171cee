import { Linking } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'

const address = process.env.EXPO_PUBLIC_SUPPORT_EMAIL

/** Leads to a person who can help, where the app was built with an address. */
export function SupportLink() {
  const { t } = useLanguage()
  if (!address) return null
  return (
    <Button
      kind="quiet"
      label={t.support(address)}
      // Without a mail program there is still the address to be read.
      onPress={() => void Linking.openURL(`mailto:${address}`).catch(() => undefined)}
    />
  )
}
