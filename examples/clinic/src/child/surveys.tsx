import { useQuery } from '@tanstack/react-query'
import { surveys } from '../companion/queries'
import { useWords } from '../i18n/language'
import { Part } from '../shell/states'

/** The scores that the family has entered, newest first. */
export function Surveys({ childId }: { childId: number }) {
  const { t, format } = useWords()
  const query = useQuery(surveys(childId))
  return (
    <section aria-labelledby="surveys-title">
      <h2 id="surveys-title">{t.surveys.title}</h2>
      <Part query={query}>
        {({ survey_analysis: found }) =>
          found.length === 0 ? (
            <p>{t.surveys.none}</p>
          ) : (
            <table aria-labelledby="surveys-title">
              <thead>
                <tr>
                  <th scope="col">{t.surveys.date}</th>
                  <th scope="col">{t.surveys.attention}</th>
                  <th scope="col">{t.surveys.impulsivity}</th>
                  <th scope="col">{t.surveys.disorder}</th>
                </tr>
              </thead>
              <tbody>
                {found.map((survey) => (
                  <tr key={survey.created_at}>
                    <th scope="row">{format.dateOf(survey.created_at)}</th>
                    <td>{survey.attention_score}</td>
                    <td>{survey.impulsivity_score}</td>
                    <td>{survey.disorder_score}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Part>
    </section>
  )
}
