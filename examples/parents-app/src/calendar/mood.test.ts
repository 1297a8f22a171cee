import { expect, test } from 'vitest'
import { moods, splitMoodFromMemo, memoWithMood } from './mood'

test('a mood stands at the start of the memo, and the text stays as it is', () => {
  for (const mood of moods)
    for (const text of ['', 'Slept well.\nWoke once. 😢'])
      expect(splitMoodFromMemo(memoWithMood(mood, text))).toEqual({ mood, text })
  expect(memoWithMood('good', 'Slept well.')).toBe('🙂 Slept well.')
  expect(memoWithMood('bad', '')).toBe('😢')
})

test('a memo without a face, or with one elsewhere, has no mood', () => {
  for (const memo of ['', 'Slept well 🙂', '🦊 fox'])
    expect(splitMoodFromMemo(memo)).toEqual({ mood: undefined, text: memo })
})
