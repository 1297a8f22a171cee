import type { Account } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useLanguage } from '../i18n/language'
import { LinkRow } from '../ui/link-row'
import { Notice } from '../ui/notice'

/** One line while the address of the account is not confirmed; a warning while the account has none. */
export function EmailReminder({ account: { email, is_email_confirmed } }: { account: Account }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  if (is_email_confirmed) return null
  const open = () => navigation.navigate('Email')
  if (email !== null) return <LinkRow label={t.email.confirm} hint={email} onPress={open} />
  return (
    <>
      <Notice kind="danger" text={t.email.rejected} />
      <LinkRow label={t.email.add} onPress={open} />
    </>
  )
}
