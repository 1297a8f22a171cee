import { Linking } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'

const address = process.env.EXPO_PUBLIC_SUPPORT_EMAIL

/** Writes to support, if the app was built with an address for it. */
export function SupportLink() {
  const { t } = useLanguage()
  if (!address) return null
  return (
    <Button
      kind="quiet"
      label={t.support(address)}
      // Without a mail program, the parent can still read the address.
      onPress={() => void Linking.openURL(`mailto:${address}`).catch(() => undefined)}
    />
  )
}
