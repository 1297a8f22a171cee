import type { Account, UpdateNotificationsInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useLanguage } from '../i18n/language'
import { Failure } from '../ui/failure'
import { SwitchRow } from '../ui/switch-row'
import { Words } from '../ui/words'

/** Which alerts the parent gets. The service takes all settings at once. */
export function AlertSwitches({ account, isPushOff }: { account: Account; isPushOff: boolean }) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const update = useMutation({
    mutationFn: (input: UpdateNotificationsInput) => companion.account.updateNotifications(input),
    onSuccess: (answer) => queries.setQueryData(keys.account, { ...account, ...answer }),
  })
  const { is_device_muted, is_device_alim_talk_enabled, is_basestation_alert_enabled } = account
  const { is_child_named_in_alerts } = account
  const stored = {
    is_device_muted,
    is_device_alim_talk_enabled,
    is_basestation_alert_enabled,
    is_child_named_in_alerts,
  }
  // While a change is being saved, the switches show it. If saving fails, they show the stored values again.
  const shown = update.isPending ? { ...stored, ...update.variables } : stored
  const row = (name: keyof typeof stored, label: string, hint: string) => (
    <SwitchRow
      label={label}
      hint={hint}
      value={Boolean(shown[name])}
      isDisabled={update.isPending}
      onChange={(value) => update.mutate({ ...stored, [name]: value })}
    />
  )
  return (
    <>
      {row('is_device_muted', t.settings.deviceMuted, t.settings.deviceMutedHint)}
      {row('is_basestation_alert_enabled', t.settings.basestationAlert, t.settings.basestationAlertHint)}
      {isPushOff ? (
        <Words kind="caption" tone="muted">
          {t.settings.needsPush}
        </Words>
      ) : null}
      {row('is_device_alim_talk_enabled', t.settings.alimTalk, t.settings.alimTalkHint)}
      {row('is_child_named_in_alerts', t.settings.childNamed, t.settings.childNamedHint)}
      <Failure error={update.error} />
    </>
  )
}
