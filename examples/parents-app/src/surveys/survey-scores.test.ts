import { expect, test } from 'vitest'
import { readScores } from './survey-scores'

test('a survey needs three whole scores', () => {
  const typed = { attention_score: '12', impulsivity_score: ' 0 ', disorder_score: '7' }
  expect(readScores(typed)).toEqual({
    scores: { attention_score: 12, impulsivity_score: 0, disorder_score: 7 },
    issues: [],
  })
  for (const wrong of ['', '-1', '1.5', 'x', '12345'])
    expect(readScores({ ...typed, disorder_score: wrong })).toEqual({
      scores: undefined,
      issues: ['disorder_score'],
    })
})
