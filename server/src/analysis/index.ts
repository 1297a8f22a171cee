import { router } from '../http/endpoint.ts'
import { readAnalysisChart } from './read-analysis-chart.ts'
import { readLatestSurveys } from './read-latest-surveys.ts'
import { readRecentChart } from './read-recent-chart.ts'
import { submitSurvey } from './submit-survey.ts'

export const charts = router({ recent: readRecentChart, analysis: readAnalysisChart })

export const surveys = router({ submit: submitSurvey, latest: readLatestSurveys })
