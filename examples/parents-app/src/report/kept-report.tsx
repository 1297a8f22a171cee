import type { ListedChild } from '@companion/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'
import { fileName } from './file-name'
import { decodeKeptReport } from './kept-reports'
import type { KeptReport as Kept } from './kept-reports'
import { reports } from './reports'
import { shareFile } from './share-file'

/** The report of a child that was made last, which this phone keeps. It needs no connection. */
export function KeptReport({ child }: { child: ListedChild }) {
  const { t, format } = useLanguage()
  const { data: kept } = useQuery({
    queryKey: [...cacheKeys.reports, 'kept', child.id],
    queryFn: () => reports.read(child.id),
  })
  const share = useMutation({
    mutationFn: (report: Kept) =>
      shareFile(decodeKeptReport(report), fileName(child.first_name, report, 'pdf'), t.report.shareTitle),
  })
  if (!kept) return null
  return (
    <Card title={t.report.kept}>
      <Words>{`${format.date(kept.start_date)} – ${format.date(kept.end_date)}`}</Words>
      <Words kind="caption" tone="muted">
        {t.report.madeOn(format.date(kept.made_on))}
      </Words>
      <Failure error={share.error} />
      <Button
        kind="quiet"
        label={t.report.shareKept}
        isBusy={share.isPending}
        onPress={() => share.mutate(kept)}
      />
    </Card>
  )
}
