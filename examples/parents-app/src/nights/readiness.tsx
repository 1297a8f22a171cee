import { View } from 'react-native'
import { useDevices, useEnvironment, useLatestRecords } from '../companion/queries'
import { entriesWithReadings } from '../charts/readings'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { endOfUse } from './night'
import { isCutShort, isRunning } from './record'
import { summarizeUploads } from './uploads'

/** What is known of the device and the base station: when each was last heard of. */
export function Readiness({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const devices = useDevices().data
  const records = useLatestRecords(childId, date).data
  const readings = useEnvironment(childId, 7, date).data
  const worn = devices?.filter(({ real_user_id }) => real_user_id === childId)
  const uploads = devices && summarizeUploads(devices, childId)
  const newest = records?.at(-1)
  const measured = entriesWithReadings(readings ?? []).at(-1)
  const when = newest && endOfUse(newest)
  const newestState =
    !records || uploads?.isNone
      ? undefined
      : !newest || !when
        ? t.today.newestNone
        : isRunning(newest)
          ? t.night.runningSince(format.clock(newest.start), format.duration(newest.seconds))
          : t.today.newest(format.moment(when))
  const cutShort = newestState !== undefined && newest && isCutShort(newest) ? t.night.cutShort : undefined
  const uploadState = uploads?.lastAt
    ? t.uploads.last(format.moment(uploads.lastAt))
    : uploads?.isNone
      ? t.uploads.none(format.moment(uploads.pairedAt))
      : undefined
  // A child without a device and without records is told to pair one instead.
  const deviceStates = uploads || newest ? [uploadState, newestState, cutShort] : []
  const mayCome = !devices || uploads
  const stationState =
    readings === undefined
      ? undefined
      : readings === null
        ? t.today.noBasestation
        : measured
          ? t.today.readings(format.dayAndMonth(measured.date))
          : t.today.noReadings
  if (deviceStates.length === 0 && (stationState === undefined || readings === null)) return null
  const name = worn?.map(({ device_alias }) => device_alias).join(', ')
  return (
    <Card title={t.today.state}>
      {deviceStates.length > 0 ? (
        <State
          of={name || (mayCome ? t.today.device : t.children.noDevice)}
          says={[...deviceStates, mayCome && t.today.newestHint]}
        />
      ) : null}
      {stationState ? <State of={t.today.basestation} says={[stationState]} /> : null}
    </Card>
  )
}

const State = ({ of, says }: { of: string; says: (string | undefined)[] }) => (
  <View accessible>
    <Words>{of}</Words>
    {says.filter(Boolean).map((line) => (
      <Words key={line} kind="caption" tone="muted">
        {line}
      </Words>
    ))}
  </View>
)
