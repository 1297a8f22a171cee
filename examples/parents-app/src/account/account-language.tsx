import type { Account } from '@companion/sdk'
import { LanguageChoice } from '../i18n/language-choice'
import { Failure } from '../ui/failure'
import { useNotifications } from './use-notifications'

const LANGUAGES = { system: null, ko: 'KR', en: 'EN' } as const

/** The language of the app, in which the service also writes mails and alerts to this parent. */
export function AccountLanguage({ account }: { account: Account | undefined }) {
  const update = useNotifications(account)
  const save = (choice: keyof typeof LANGUAGES) => {
    if (!account) return
    const { is_device_muted, is_device_alim_talk_enabled, is_basestation_alert_enabled } = account
    const switches = { is_device_muted, is_device_alim_talk_enabled, is_basestation_alert_enabled }
    update.mutate({ ...switches, language: LANGUAGES[choice] })
  }
  return (
    <>
      <LanguageChoice isLabelShown={false} onChoose={save} />
      <Failure error={update.error} />
    </>
  )
}
