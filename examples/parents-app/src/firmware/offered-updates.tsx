import type { Device, ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useDevices } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { mayWrite } from '../sharing/rights'
import { Card } from '../ui/card'
import { LinkRow } from '../ui/link-row'
import { isOver } from './carry-update'
import { useRun } from './running-updates'
import { useNight } from './use-night'
import { useOffer } from './use-offer'

/** The updates of the devices that a child wears: offered by day, or begun. */
export function OfferedUpdates({ child }: { child: ListedChild }) {
  const devices = useDevices().data ?? []
  if (!mayWrite(child)) return null
  return devices
    .filter(({ real_user_id }) => real_user_id === child.id)
    .map((device) => <OfferedUpdate key={device.device_id} device={device} />)
}

function OfferedUpdate({ device }: { device: Device }) {
  const { t } = useLanguage()
  if (useUpdateHint(device) === undefined) return null
  return (
    <Card title={t.firmware.title}>
      <UpdateRow device={device} label={device.device_alias} />
    </Card>
  )
}

/** A row that opens the update of a device, if there is something to say of it. */
export function UpdateRow({ device, label }: { device: Device; label?: string }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const hint = useUpdateHint(device)
  if (hint === undefined) return null
  return (
    <LinkRow
      label={label ?? t.firmware.title}
      hint={hint}
      onPress={() => navigation.navigate('UpdateDevice', { device_id: device.device_id })}
    />
  )
}

/** What there is to say of the update of a device in one line; undefined if there is nothing, or if it is night. */
function useUpdateHint(device: Device): string | undefined {
  const { t } = useLanguage()
  const isNight = useNight(device.real_user_id)
  const offered = useOffer(device, isNight === false).data?.update
  const run = useRun(device.device_id)
  if (run?.isRunning) return t.firmware.running
  if (isNight !== false) return undefined
  if (run && !isOver(run.state)) return t.firmware.waitsForYou
  // What the device did not take is offered until it was tried three times.
  if (!offered || (run && run.update.firmware_id === offered.firmware_id && run.state.step !== 'failed'))
    return undefined
  return t.firmware.ready(offered.version)
}
