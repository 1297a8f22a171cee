import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { StyleSheet, View } from 'react-native'
import { useSurveys } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { mayWrite } from '../sharing/rights'
import { today } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { ScoreChart } from './score-chart'
import { scoreTrend } from './score-trend'
import type { Survey } from './score-trend'
import { scores } from './survey-scores'
import type { ScoreName } from './survey-scores'

/** The latest surveys of a child as one chart for each score, and the way to another survey. */
export function SurveysCard({ child }: { child: ListedChild }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  return (
    <Card title={t.surveys.title}>
      <Loaded query={useSurveys(child.id)}>
        {({ survey_analysis: surveys }) =>
          surveys.length === 0 ? (
            <Words tone="muted">{t.surveys.none}</Words>
          ) : (
            <>
              <Words kind="caption" tone="muted">
                {t.surveys.lowerIsBetter}
              </Words>
              {scores.map((score) => (
                <OneScore key={score} score={score} surveys={surveys} />
              ))}
            </>
          )
        }
      </Loaded>
      {mayWrite(child) ? (
        <Button
          kind="quiet"
          label={t.surveys.add}
          onPress={() => navigation.navigate('Survey', { real_user_id: child.id })}
        />
      ) : null}
    </Card>
  )
}

function OneScore({ score, surveys }: { score: ScoreName; surveys: readonly Survey[] }) {
  const { t, format } = useLanguage()
  const { values, change } = scoreTrend(surveys, score)
  const dates = surveys.map(({ created_at }) => today(new Date(created_at))).reverse()
  const headline = `${t.surveys.scores[score]} ${format.number(values.at(-1) ?? 0)}`
  const said = values.map((value, index) => `${format.date(dates[index] ?? '')}: ${format.number(value)}`)
  const since = format.date(dates[0] ?? '')
  const sentence =
    change === undefined
      ? undefined
      : change === 0
        ? t.surveys.asOn(since)
        : change < 0
          ? t.surveys.better(format.number(-change), since)
          : t.surveys.worse(format.number(change), since)
  return (
    <View style={styles.score}>
      <View accessible accessibilityLabel={[headline, sentence, ...said].filter(Boolean).join(', ')}>
        <Words kind="label">{headline}</Words>
        {sentence ? (
          <Words kind="caption" tone={change !== undefined && change > 0 ? 'note' : 'muted'}>
            {sentence}
          </Words>
        ) : null}
      </View>
      <ScoreChart values={values} dates={dates.map(format.shortDate)} />
    </View>
  )
}

const styles = StyleSheet.create({ score: { gap: 6 } })
