import type { Device } from '@companion/sdk'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Progress } from '../ui/progress'
import { ProgressBar } from '../ui/progress-bar'
import { Words } from '../ui/words'
import { runningUpdates } from './running-updates'
import type { UpdateRun } from './updates'
import { useAwake } from './use-awake'

/** Where the update of a device is, and what the parent can do. At night it does not go on. */
export function UpdateProgress({
  device,
  run,
  isNight,
}: {
  device: Device
  run: UpdateRun
  isNight: boolean
}) {
  const { t, format } = useLanguage()
  const { update, state, isRunning, error } = run
  const { step, bytes, battery } = state
  useAwake(isRunning)
  const goOn = () => void runningUpdates.go(device, update)
  const again = isNight ? null : <Button label={t.retry} onPress={goOn} />
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
            {again}
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
            <Button
              kind="quiet"
              label={t.firmware.pause}
              onPress={() => runningUpdates.stop(device.device_id)}
            />
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
          {step === 'failed' ? again : null}
        </Card>
      )
    default: {
      // Whether the device runs the firmware may be asked at night too.
      const shown = isNight && step !== 'unconfirmed' ? 'night' : step
      return (
        <Card>
          <Notice kind={serious.has(shown) ? 'danger' : 'info'} text={t.firmware.waiting[shown]} />
          {done > 0 && step !== 'unconfirmed' ? (
            <ProgressBar label={t.firmware.sofar(format.percent(done))} done={done} />
          ) : null}
          {step === 'unconfirmed' ? null : <Words tone="muted">{t.firmware.nothingLost}</Words>}
          {deviceBattery}
          {shown === 'night' && isNight ? null : <Button label={t.firmware.goOn} onPress={goOn} />}
        </Card>
      )
    }
  }
}

/** What needs the parent to do something about the device. */
const serious = new Set<UpdateRun['state']['step']>(['lost', 'battery', 'unreachable', 'unconfirmed'])
