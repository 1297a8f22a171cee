/** The moods of a morning, with the face that stands for each at the start of a memo. */
const faces = { great: '😀', good: '🙂', fair: '😐', low: '🙁', bad: '😢' } as const

export type Mood = keyof typeof faces

export const moods: readonly Mood[] = ['great', 'good', 'fair', 'low', 'bad']

/**
 * Splits a memo into the mood at its start and its text. A memo starts with one of five faces, or has no mood; apps that do
 * not know this show the face as it is.
 */
export function splitMoodFromMemo(memo: string): { mood: Mood | undefined; text: string } {
  const mood = moods.find((one) => memo.startsWith(faces[one]))
  return mood ? { mood, text: memo.slice(faces[mood].length).trimStart() } : { mood, text: memo }
}

/** A memo with this mood. */
export const memoWithMood = (mood: Mood | undefined, text: string): string =>
  mood ? `${faces[mood]} ${text}`.trimEnd() : text
