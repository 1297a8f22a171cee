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
import { scores } from './survey-scores'

/** The latest surveys of a child, newest first, and the way to another. */
export function SurveysCard({ child }: { child: ListedChild }) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  return (
    <Card title={t.surveys.title}>
      <Loaded query={useSurveys(child.id)}>
        {({ survey_analysis: surveys }) =>
          surveys.length === 0 ? (
            <Words tone="muted">{t.surveys.none}</Words>
          ) : (
            surveys.map((survey) => (
              <View key={survey.created_at} accessible style={styles.survey}>
                <Words kind="label">{format.date(today(new Date(survey.created_at)))}</Words>
                <View style={styles.scores}>
                  {scores.map((score) => (
                    <Words key={score} kind="caption" tone="muted">
                      {`${t.surveys.scores[score]} ${format.number(survey[score])}`}
                    </Words>
                  ))}
                </View>
              </View>
            ))
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

const styles = StyleSheet.create({
  survey: { gap: 2 },
  scores: { flexDirection: 'row', flexWrap: 'wrap', columnGap: 14 },
})
