import type { ListedChild } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { useDevices } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useToday } from '../time/use-today'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'
import { fileName } from './file-name'
import { periodEndingOn } from './period'
import { shareFile } from './share-file'

/** Everything that a child's devices recorded in a period, as spreadsheets. */
export function DeviceSpreadsheets({ child }: { child: ListedChild }) {
  const { data: devices = [] } = useDevices()
  return devices
    .filter(({ real_user_id }) => real_user_id === child.id)
    .map(({ unique_id, ...device }) =>
      // The service tells the id that opens the records to the owner only.
      unique_id ? (
        <DeviceSpreadsheet key={device.device_id} child={child} device={{ ...device, unique_id }} />
      ) : null,
    )
}

type OwnDevice = Record<'unique_id' | 'serial_code' | 'device_alias', string>

function DeviceSpreadsheet({ child, device }: { child: ListedChild; device: OwnDevice }) {
  const { t, format } = useLanguage()
  const [months, setMonths] = useState<1 | 3 | 12>(3)
  const period = periodEndingOn(useToday(), months)
  const download = useMutation({
    mutationFn: async () =>
      shareFile(
        await companion.devlogs.export({ unique_id: device.unique_id, ...period }, { timeout: 120_000 }),
        fileName(`${child.first_name} ${device.serial_code}`, period, 'xlsx'),
        t.spreadsheet.title,
      ),
  })
  return (
    <Card title={t.spreadsheet.title} aside={device.device_alias}>
      <Words tone="muted">{t.spreadsheet.hint}</Words>
      <Choice
        label={t.report.period}
        value={months}
        onChange={(chosen) => {
          download.reset()
          setMonths(chosen)
        }}
        options={[
          [1, t.report.months[1]],
          [3, t.report.months[3]],
          [12, t.spreadsheet.year],
        ]}
      />
      <Words kind="caption" tone="muted">
        {`${format.date(period.start_date)} – ${format.date(period.end_date)}`}
      </Words>
      <Failure error={download.error} />
      <Button label={t.spreadsheet.download} isBusy={download.isPending} onPress={() => download.mutate()} />
    </Card>
  )
}
