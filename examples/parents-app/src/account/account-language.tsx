import type { Account, UpdateNotificationsInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { LanguageChoice } from '../i18n/language-choice'
import { Failure } from '../ui/failure'

const LANGUAGES = { system: null, ko: 'KR', en: 'EN' } as const

/** The language of the app, in which the service also writes mails and alerts to this parent. */
export function AccountLanguage({ account }: { account: Account | undefined }) {
  const queries = useQueryClient()
  const update = useMutation({
    mutationFn: (input: UpdateNotificationsInput) => companion.account.updateNotifications(input),
    onSuccess: (saved) => queries.setQueryData(keys.account, { ...account, ...saved }),
  })
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
