import type { Device } from '@companion/sdk'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Progress } from '../ui/progress'
import { ProgressBar } from '../ui/progress-bar'
import { Words } from '../ui/words'
import { updates } from './running-updates'
import type { Run } from './updates'

/** Where the update of a device is, and what the parent can do. At night it does not go on. */
export function UpdateProgress({ device, run, isNight }: { device: Device; run: Run; isNight: boolean }) {
  const { t, format } = useLanguage()
  const { update, state, isRunning, error } = run
  const { step, bytes, battery } = state
  const goOn = (label: string) =>
    isNight ? null : <Button label={label} onPress={() => void updates.go(device, update)} />
  const deviceBattery =
    battery && step !== 'installed' ? (
      <Words kind="caption" tone="muted">
        {t.firmware.deviceBattery(format.percent(battery.battery / 100), battery.is_charging)}
      </Words>
    ) : null
  const done = bytes / update.size
  switch (step) {
    case 'loading':
    case 'connecting':
    case 'sending':
    case 'starting': {
      if (!isRunning)
        return (
          <Card>
            <Failure error={error} />
            {goOn(t.retry)}
          </Card>
        )
      const label = t.firmware.steps[step]
      return (
        <Card>
          <Progress
            label={label}
            detail={step === 'loading' || step === 'sending' ? format.percent(done) : undefined}
          />
          {step === 'loading' || step === 'sending' ? <ProgressBar label={label} done={done} /> : null}
          <Words kind="label" tone="muted">
            {step === 'loading' ? t.firmware.keepOpen : t.firmware.stay}
          </Words>
          {deviceBattery}
          {step === 'starting' ? null : (
            <Button kind="quiet" label={t.firmware.pause} onPress={() => updates.stop(device.device_id)} />
          )}
        </Card>
      )
    }
    case 'installed':
      return (
        <Card>
          <Notice text={t.firmware.ended.installed(update.version)} />
        </Card>
      )
    case 'failed':
    case 'refused':
    case 'rolled_back':
    case 'withdrawn':
      return (
        <Card>
          <Notice kind={step === 'withdrawn' ? 'info' : 'danger'} text={t.firmware.ended[step]} />
          {step === 'withdrawn' ? null : <Words tone="muted">{t.firmware.asBefore}</Words>}
          {step === 'failed' ? goOn(t.retry) : null}
        </Card>
      )
    default:
      return (
        <Card>
          <Notice
            kind={step === 'lost' || step === 'battery' || step === 'unreachable' ? 'danger' : 'info'}
            text={t.firmware.waiting[step]}
          />
          {done > 0 && step !== 'unconfirmed' ? (
            <ProgressBar label={t.firmware.sofar(format.percent(done))} done={done} />
          ) : null}
          {step === 'unconfirmed' ? null : <Words tone="muted">{t.firmware.nothingLost}</Words>}
          {deviceBattery}
          {isNight && step !== 'night' ? <Words>{t.firmware.waiting.night}</Words> : null}
          {goOn(t.firmware.goOn)}
        </Card>
      )
  }
}
