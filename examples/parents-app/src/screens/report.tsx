import { WithChild } from '../account/with-child'
import { useBasestations } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { DeviceSpreadsheets } from '../report/device-spreadsheets'
import { ReportForm } from '../report/report-form'
import { Answered } from '../ui/answered'
import { Columns } from '../ui/columns'
import { Page } from '../ui/page'
import { Words } from '../ui/words'
import { NeedsBasestation } from '../report/needs-basestation'

export function ReportScreen() {
  const { t } = useLanguage()
  const basestations = useBasestations()
  return (
    <Page hasColumns>
      <WithChild>
        {(child) => (
          <Columns>
            <>
              <Words kind="heading">{t.report.title}</Words>
              <Words tone="muted">{t.report.hint}</Words>
              <Answered query={basestations}>
                {([basestation]) =>
                  basestation ? (
                    <ReportForm key={child.id} child={child} basestationId={basestation.basestation_id} />
                  ) : (
                    <NeedsBasestation />
                  )
                }
              </Answered>
            </>
            <DeviceSpreadsheets child={child} />
          </Columns>
        )}
      </WithChild>
    </Page>
  )
}
