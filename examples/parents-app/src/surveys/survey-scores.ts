/** The scores of a survey, in the order of the service. */
export const scores = ['attention_score', 'impulsivity_score', 'disorder_score'] as const

export type ScoreName = (typeof scores)[number]
export type TypedScores = Record<ScoreName, string>

/** The typed scores as numbers, once all are whole; and those that are not. */
export function readScores(typed: TypedScores) {
  const issues = scores.filter((score) => !/^\d{1,4}$/.test(typed[score].trim()))
  const numbers = {
    attention_score: Number(typed.attention_score),
    impulsivity_score: Number(typed.impulsivity_score),
    disorder_score: Number(typed.disorder_score),
  }
  return { scores: issues.length === 0 ? numbers : undefined, issues }
}
