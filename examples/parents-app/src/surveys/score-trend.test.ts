import { expect, test } from 'vitest'
import { scoreTrend } from './score-trend'

const survey = (attention_score: number) => ({
  attention_score,
  impulsivity_score: 1,
  disorder_score: 2,
  created_at: '2026-11-01T10:00:00.000Z',
})

test('scores go from the oldest survey to the newest', () => {
  expect(scoreTrend([survey(12), survey(14), survey(15)], 'attention_score')).toEqual({
    values: [15, 14, 12],
    change: -3,
  })
  expect(scoreTrend([survey(12), survey(15)], 'impulsivity_score').change).toBe(0)
})

test('a single survey shows no change', () => {
  expect(scoreTrend([survey(12)], 'attention_score')).toEqual({ values: [12], change: undefined })
})
