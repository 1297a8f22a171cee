import type { Child, Device } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment } from 'react'
import { View } from 'react-native'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { UpdateRow } from '../firmware/offered-updates'
import { useLanguage } from '../i18n/language'
import { today, wallClock } from '../time/dates'
import { useToday } from '../time/use-today'
import { AskFirst } from '../ui/ask-first'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { LinkRow } from '../ui/link-row'
import { Words } from '../ui/words'
import { ageOn } from './birthdate'

interface ChildCardProps {
  child: Child
  devices: readonly Device[]
  onEdit: () => void
  onPair: () => void
  onPeople: () => void
}

/** A child and the devices they wear. */
export function ChildCard({ child, devices, onEdit, onPair, onPeople }: ChildCardProps) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const unpair = useMutation({
    mutationFn: (device_id: number) => companion.devices.disconnect({ device_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: cacheKeys.devices }),
  })
  return (
    <Card title={child.first_name} aside={t.children.age(ageOn(child.birthdate, useToday()))}>
      {devices.map((device) => {
        const { device_id, device_alias, serial_code, connected_at, last_upload_at } = device
        return (
          <Fragment key={device_id}>
            <View>
              <Words tone="muted">
                {device_alias === serial_code ? serial_code : `${device_alias} · ${serial_code}`}
              </Words>
              <Words kind="caption" tone="muted">
                {t.settings.since(format.date(today(new Date(connected_at))))}
              </Words>
              {last_upload_at ? (
                <Words kind="caption" tone="muted">
                  {t.uploads.last(format.moment(wallClock(new Date(last_upload_at))))}
                </Words>
              ) : null}
            </View>
            <UpdateRow device={device} />
            <AskFirst
              label={t.children.unpair}
              question={t.children.unpairQuestion}
              isBusy={unpair.isPending}
              onConfirm={() => unpair.mutate(device_id)}
            />
          </Fragment>
        )
      })}
      {devices.length === 0 ? (
        <>
          <Words tone="muted">{t.children.noDevice}</Words>
          <Button kind="quiet" label={t.children.pair} onPress={onPair} />
        </>
      ) : null}
      <Failure error={unpair.error} />
      <LinkRow label={t.children.edit(child.first_name)} onPress={onEdit} />
      <LinkRow label={t.sharing.of(child.first_name)} onPress={onPeople} />
    </Card>
  )
}
