import { WithChild } from '../account/with-child'
import { useBasestations } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { DeviceSpreadsheets } from '../report/device-spreadsheets'
import { KeptReport } from '../report/kept-report'
import { NeedsBasestation } from '../report/needs-basestation'
import { ReportForm } from '../report/report-form'
import { isOwnBasestation, memberRole } from '../sharing/rights'
import { Loaded } from '../ui/loaded'
import { Columns } from '../ui/columns'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

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
              <KeptReport child={child} />
              <Loaded query={basestations}>
                {(list) => {
                  // The list does not tell which of the foreign ones stands beside which shared child.
                  const isShared = memberRole(child) !== undefined
                  const ids = list
                    .filter((one) => isOwnBasestation(one) !== isShared)
                    .map(({ basestation_id }) => basestation_id)
                  return ids.length > 0 ? (
                    <ReportForm key={child.id} child={child} basestationIds={ids} />
                  ) : (
                    <NeedsBasestation isShared={isShared} />
                  )
                }}
              </Loaded>
            </>
            <DeviceSpreadsheets child={child} />
          </Columns>
        )}
      </WithChild>
    </Page>
  )
}
