import { Linking } from 'react-native'
import { useLanguage } from '../i18n/language'
import { LinkRow } from '../ui/link-row'
import { addressOfText } from './consent-text'
import type { ConsentText } from './consent-text'

const base = process.env.EXPO_PUBLIC_CONSENT_TEXTS

/** Opens the full text, if the app was built with an address for the texts. */
export function ConsentTextLink({ text }: { text: ConsentText }) {
  const { t, language } = useLanguage()
  if (!base) return null
  const address = addressOfText(base, text, language)
  return (
    <LinkRow
      label={t.consents.read(t.consents.kinds[text.kind].title)}
      hint={address}
      // Without a browser, the parent can still read the address.
      onPress={() => void Linking.openURL(address).catch(() => undefined)}
    />
  )
}
