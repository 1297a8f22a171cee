import type { ExportDataInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordField } from '../account/password-field'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { shareFile } from '../report/share-file'
import { Button } from '../ui/button'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** Years of data take their time. */
const TIMEOUT = 600_000

export function ExportDataScreen() {
  const { t } = useLanguage()
  const [format, setFormat] = useState<ExportDataInput['format']>('json')
  const [password, setPassword] = useState('')
  const download = useMutation({
    mutationFn: async (input: ExportDataInput) => {
      const file = await companion.account.exportData(input, { timeout: TIMEOUT })
      await shareFile(file, file.name, t.exportData.title)
    },
    onSuccess: () => setPassword(''),
  })
  const submit = () => {
    if (password && !download.isPending) download.mutate({ format, password })
  }
  return (
    <Page hasHeader>
      <Words tone="muted">{t.exportData.hint}</Words>
      <Choice
        label={t.exportData.format}
        value={format}
        onChange={(chosen) => {
          download.reset()
          setFormat(chosen)
        }}
        options={[
          ['json', t.exportData.formats.json],
          ['fhir', t.exportData.formats.fhir],
        ]}
      />
      <PasswordField
        label={t.settings.currentPassword}
        value={password}
        onChangeText={setPassword}
        onSubmitEditing={submit}
      />
      <Failure error={download.error} />
      {download.isSuccess ? <Notice text={t.exportData.done} /> : null}
      <Button
        label={t.exportData.submit}
        onPress={submit}
        isBusy={download.isPending}
        isDisabled={!password}
      />
    </Page>
  )
}
