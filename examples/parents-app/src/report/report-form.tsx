import { useMutation } from '@tanstack/react-query'
import type { CompanionFile, ListedChild } from '@companion/sdk'
import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { useToday } from '../time/use-today'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Progress } from '../ui/progress'
import { Words } from '../ui/words'
import { fileName } from './file-name'
import { periodEndingOn } from './period'
import { shareFile } from './share-file'
import { useReport } from './use-report'
import type { ReportOrder } from './use-report'

interface ReportFormProps {
  child: ListedChild
  /** The base stations among which that of the child's owner is. */
  basestationIds: readonly number[]
}

/** Lets the parent choose a period and a language, creates the report and shares it. */
export function ReportForm({ child, basestationIds }: ReportFormProps) {
  const { t, language: spoken, format } = useLanguage()
  const [months, setMonths] = useState<1 | 2 | 3>(1)
  const [language, setLanguage] = useState<'KR' | 'EN'>(spoken === 'ko' ? 'KR' : 'EN')
  const { report, progress, cancel } = useReport()
  const period = periodEndingOn(useToday(), months)
  const share = useMutation({
    // The name has the period of the report itself: another day may have begun since it was created.
    mutationFn: ({ file, drawn }: { file: CompanionFile; drawn: ReportOrder }) =>
      shareFile(file, fileName(child.first_name, drawn, 'pdf'), t.report.shareTitle),
  })
  // A report with the previous settings must not be shared.
  const changing =
    <Value,>(change: (value: Value) => void) =>
    (value: Value) => {
      cancel()
      share.reset()
      change(value)
    }
  return (
    <Card>
      <Choice
        label={t.report.period}
        value={months}
        onChange={changing(setMonths)}
        options={[
          [1, t.report.months[1]],
          [2, t.report.months[2]],
          [3, t.report.months[3]],
        ]}
      />
      <Words kind="caption" tone="muted">
        {`${format.dayAndMonth(period.start_date)} – ${format.dayAndMonth(period.end_date)}`}
      </Words>
      <Choice
        label={t.report.language}
        value={language}
        onChange={changing(setLanguage)}
        options={[
          ['KR', t.settings.languages.ko],
          ['EN', t.settings.languages.en],
        ]}
      />
      <Failure error={report.error ?? share.error} />
      {report.isPending ? (
        <>
          <Progress label={t.report.creating} detail={progress && format.size(progress.loaded)} />
          <Button kind="quiet" label={t.cancel} onPress={cancel} />
        </>
      ) : report.data ? (
        <>
          <Notice text={`${t.report.ready} · ${format.size(report.data.bytes.byteLength)}`} />
          <Button
            label={t.report.share}
            isBusy={share.isPending}
            onPress={() => share.mutate({ file: report.data, drawn: report.variables })}
          />
        </>
      ) : (
        <Button
          label={t.report.create}
          onPress={() => report.mutate({ real_user_id: child.id, basestationIds, language, ...period })}
        />
      )}
    </Card>
  )
}
