import type { CodeSystem, Questionnaire } from 'fhir/r4.d.ts'
import { localCodes } from './local-codes.ts'

/*
 * What the other resources of a FHIR export name by its canonical URL. `system` is `FHIR_SYSTEM`.
 */

export const codeSystemUrl = (system: string) => `${system}/CodeSystem/companion`
export const surveyQuestionnaireUrl = (system: string) => `${system}/Questionnaire/survey`

/** The scores of a survey, each with its text. */
export const surveyItems = {
  attention_score: 'Attention',
  impulsivity_score: 'Impulsivity',
  disorder_score: 'Disorder',
} as const

/** The codes that only this service uses. */
export const codeSystem = (system: string): CodeSystem => ({
  resourceType: 'CodeSystem',
  url: codeSystemUrl(system),
  name: 'Companion',
  title: 'The codes that only this service uses',
  status: 'active',
  caseSensitive: true,
  content: 'complete',
  count: Object.keys(localCodes).length,
  concept: Object.entries(localCodes).map(([code, [display, definition]]) => ({ code, display, definition })),
})

export const questionnaire = (system: string): Questionnaire => ({
  resourceType: 'Questionnaire',
  url: surveyQuestionnaireUrl(system),
  name: 'CompanionSurvey',
  title: 'Survey about a child',
  status: 'active',
  subjectType: ['Patient'],
  item: Object.entries(surveyItems).map(([linkId, text]) => ({ linkId, text, type: 'integer' })),
})
