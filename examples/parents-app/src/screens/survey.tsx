import type { SubmitSurveyInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { readScores, scores } from '../surveys/survey-scores'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function SurveyScreen({ navigation, route }: ScreenProps<'Survey'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [typed, setTyped] = useState({ attention_score: '', impulsivity_score: '', disorder_score: '' })
  const [isChecked, setChecked] = useState(false)
  const { scores: read, issues } = readScores(typed)
  const submit = useMutation({
    mutationFn: (input: SubmitSurveyInput) => companion.surveys.submit(input),
    onSuccess: () => queries.invalidateQueries({ queryKey: cacheKeys.surveys }),
  })
  return (
    <Page hasHeader>
      <Card>
        <Words tone="muted">{t.surveys.hint}</Words>
        {scores.map((score) => (
          <Field
            key={score}
            label={t.surveys.scores[score]}
            value={typed[score]}
            onChangeText={(text) => setTyped({ ...typed, [score]: text })}
            inputMode="numeric"
            issue={isChecked && issues.includes(score) ? t.surveys.issue : undefined}
          />
        ))}
      </Card>
      <Failure error={submit.error} />
      <Button
        label={t.save}
        isBusy={submit.isPending}
        onPress={() => {
          setChecked(true)
          if (read)
            submit.mutate(
              { real_user_id: route.params.real_user_id, ...read },
              // React Query skips this callback if the parent has left the screen.
              { onSuccess: () => navigation.goBack() },
            )
        }}
      />
    </Page>
  )
}
