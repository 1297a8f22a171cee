import type { Device } from '@companion/sdk'
import { View } from 'react-native'
import { cacheKeys } from '../companion/cache-keys'
import { useDevices } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { LEAST_BATTERY } from '../firmware/carry-update'
import type { OfferedUpdate } from '../firmware/device-link'
import { runningUpdates, useRun } from '../firmware/running-updates'
import { SimulatedDeviceCard } from '../firmware/simulated-device-card'
import { UpdateProgress } from '../firmware/update-progress'
import { useNight } from '../firmware/use-night'
import { useOffer } from '../firmware/use-offer'
import { useLowPhoneBattery } from '../firmware/use-phone-battery'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Loaded } from '../ui/loaded'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Steps } from '../ui/steps'
import { Words } from '../ui/words'

/** The update of a device: what changes, what to do before it begins, and where it is. */
export function UpdateDeviceScreen({ route }: ScreenProps<'UpdateDevice'>) {
  const devices = useDevices()
  return (
    <Page hasHeader {...useRefresh(cacheKeys.firmware)}>
      <Loaded query={devices}>
        {(list) => {
          const device = list.find(({ device_id }) => device_id === route.params.device_id)
          return device ? <Update device={device} /> : <Gone />
        }}
      </Loaded>
      <SimulatedDeviceCard />
    </Page>
  )
}

function Gone() {
  const { t } = useLanguage()
  return <Words>{t.firmware.gone}</Words>
}

function Update({ device }: { device: Device }) {
  const { t } = useLanguage()
  // Until the plans are known, it may be night.
  const isNight = useNight(device.real_user_id) ?? true
  const offer = useOffer(device, !isNight)
  const run = useRun(device.device_id)
  if (run)
    return (
      <>
        {/* The notes come in a language that was chosen since, too. */}
        <WhatChanges device={device} update={sameOf(run.update, offer.data?.update)} />
        <UpdateProgress device={device} run={run} isNight={isNight} />
      </>
    )
  if (isNight) return <Notice text={t.firmware.waiting.night} />
  return (
    <Loaded query={offer}>
      {({ update }) =>
        update ? (
          <>
            <WhatChanges device={device} update={update} />
            <Advice />
            <Button label={t.firmware.start} onPress={() => void runningUpdates.go(device, update)} />
          </>
        ) : (
          <Words>{t.firmware.upToDate}</Words>
        )
      }
    </Loaded>
  )
}

/** An update as it is offered now, if it is the same. */
const sameOf = (update: OfferedUpdate, offered: OfferedUpdate | null | undefined): OfferedUpdate =>
  offered?.firmware_id === update.firmware_id ? offered : update

function WhatChanges({ device, update }: { device: Device; update: OfferedUpdate }) {
  const { t, format } = useLanguage()
  return (
    <Card title={device.device_alias} aside={t.firmware.version(update.version)}>
      <View accessible>
        <Words kind="label" tone="muted">
          {t.firmware.changes}
        </Words>
        <Words>{update.notes ?? t.firmware.noNotes}</Words>
      </View>
      <Words kind="caption" tone="muted">
        {format.size(update.size)}
      </Words>
    </Card>
  )
}

/** What makes an update go well. */
function Advice() {
  const { t, format } = useLanguage()
  const low = useLowPhoneBattery()
  return (
    <Card title={t.firmware.before}>
      {low === undefined ? null : (
        <Notice kind="danger" text={t.firmware.phoneBattery(format.percent(low))} />
      )}
      <Steps steps={t.firmware.advice(format.percent(LEAST_BATTERY / 100))} />
    </Card>
  )
}
