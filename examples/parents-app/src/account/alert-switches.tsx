import type { Account } from '@companion/sdk'
import { useLanguage } from '../i18n/language'
import { push } from '../push/push'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { SwitchRow } from '../ui/switch-row'
import { Words } from '../ui/words'
import { useNotifications } from './use-notifications'

const HOURS = ['07:00', '08:00', '09:00', '10:00', '12:00']
const QUIET_HOURS = ['21:00–07:00', '22:00–07:00', '23:00–08:00']

/** The few that are offered, and what another app may have stored. */
const withStored = (offered: readonly string[], stored: string | null | undefined) =>
  [...new Set([...offered, ...(stored ? [stored] : [])])].sort().map((time) => [time, time] as const)

interface QuietHours {
  quiet_from?: string | null | undefined
  quiet_to?: string | null | undefined
}

const quietHours = ({ quiet_from, quiet_to }: QuietHours) =>
  quiet_from && quiet_to && quiet_from !== quiet_to ? `${quiet_from}–${quiet_to}` : ''

function fromTo(hours: string): Required<QuietHours> {
  const [from = null, to = null] = hours === '' ? [] : hours.split('–')
  return { quiet_from: from, quiet_to: to }
}

/** Which alerts the parent gets. The service takes all settings at once. */
export function AlertSwitches({ account, isPushOff }: { account: Account; isPushOff: boolean }) {
  const { t } = useLanguage()
  const update = useNotifications(account)
  const { is_device_muted, is_device_alim_talk_enabled, is_basestation_alert_enabled } = account
  const { is_child_named_in_alerts, is_bedtime_reminded, is_missing_night_told } = account
  const { missing_night_at, quiet_from, quiet_to } = account
  const switches = {
    is_device_muted,
    is_device_alim_talk_enabled,
    is_basestation_alert_enabled,
    is_child_named_in_alerts,
    is_bedtime_reminded,
    is_missing_night_told,
  }
  // KakaoTalk's messages reach Korean numbers only.
  const isKorean = account.phone.startsWith('+82')
  const stored = { ...switches, missing_night_at, quiet_from, quiet_to }
  // While a change is being saved, the switches show it. If saving fails, they show the stored values again.
  const shown = update.isPending ? { ...stored, ...update.variables } : stored
  // The service knows only whether the device is muted; a switch that turns something off would be the only one here.
  const isInverted = (name: keyof typeof switches) => name === 'is_device_muted'
  const row = (name: keyof typeof switches, label: string, hint: string) => (
    <SwitchRow
      label={label}
      hint={hint}
      value={Boolean(shown[name]) !== isInverted(name)}
      isDisabled={update.isPending}
      onChange={(value) => update.mutate({ ...stored, [name]: value !== isInverted(name) })}
    />
  )
  return (
    <>
      {row('is_device_muted', t.settings.deviceAlerts, t.settings.deviceAlertsHint)}
      {row('is_basestation_alert_enabled', t.settings.basestationAlert, t.settings.basestationAlertHint)}
      {isPushOff ? (
        <Words kind="caption" tone="muted">
          {push.isAvailable ? t.settings.needsPush : t.settings.pushElsewhere}
        </Words>
      ) : null}
      {isKorean || shown.is_device_alim_talk_enabled
        ? row('is_device_alim_talk_enabled', t.settings.alimTalk, t.settings.alimTalkHint)
        : null}
      {row('is_child_named_in_alerts', t.settings.childNamed, t.settings.childNamedHint)}
      {row('is_bedtime_reminded', t.settings.bedtime, t.settings.bedtimeHint)}
      {row('is_missing_night_told', t.settings.missingNight, t.settings.missingNightHint)}
      {shown.is_missing_night_told ? (
        <Choice
          label={t.settings.missingNightAt}
          value={shown.missing_night_at ?? ''}
          onChange={(time) => update.mutate({ ...stored, missing_night_at: time })}
          options={withStored(HOURS, shown.missing_night_at)}
        />
      ) : null}
      <Choice
        label={t.settings.quietHours}
        value={quietHours(shown)}
        onChange={(hours) => update.mutate({ ...stored, ...fromTo(hours) })}
        options={[['', t.settings.noQuietHours], ...withStored(QUIET_HOURS, quietHours(shown))]}
      />
      <Failure error={update.error} />
    </>
  )
}
