import { createRequire } from 'node:module'
import type * as Bidi from 'bidi-js'
import { charactersOf, RIGHT_TO_LEFT } from './fonts.ts'

// The package is a CommonJS function, which its types take for the default export of one.
const makeBidi: typeof Bidi.default.default = createRequire(import.meta.url)('bidi-js')
const bidi = makeBidi()

const LEFTWARD = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const STARTS_LEFTWARD = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u

/** Whether a paragraph runs from right to left: its first letter is of such a script. */
export const isRightToLeft = (paragraph: string): boolean => STARTS_LEFTWARD.test(paragraph)

interface Stretch {
  level: number
  text: string
}

/**
 * Splits a line into parts in the order in which they stand from left to right (UAX 9). A word of a script that runs
 * from right to left stays whole: the font sets its letters.
 */
export function inVisualOrder(line: string): string[] {
  const text = line.replace(RIGHT_TO_LEFT, '')
  if (!LEFTWARD.test(text)) return [text]
  const { levels } = bidi.getEmbeddingLevels(text, line.startsWith(RIGHT_TO_LEFT) ? 'rtl' : 'auto')
  const stretches: Stretch[] = []
  for (let index = 0; index < text.length; index++) {
    const level = levels[index] ?? 0
    const last = stretches.at(-1)
    if (last && last.level === level) last.text += text[index] ?? ''
    else stretches.push({ level, text: text[index] ?? '' })
  }
  return reordered(stretches).flatMap(({ level, text: part }) =>
    level % 2 === 0 ? leftToRight(part) : rightToLeft(part),
  )
}

/** Reverses all stretches from the highest level down to the lowest odd one. */
function reordered(stretches: readonly Stretch[]): Stretch[] {
  const order = [...stretches]
  const highest = Math.max(...order.map(({ level }) => level))
  for (let least = highest; least > 0; least--) {
    for (let first = 0; first < order.length; first++) {
      let end = first
      while ((order[end]?.level ?? -1) >= least) end += 1
      if (end > first) order.splice(first, end - first, ...order.slice(first, end).toReversed())
      first = Math.max(first, end)
    }
  }
  return order
}

// fontkit would reverse several of these digits, because they are of the Arabic script.
const leftToRight = (text: string) => text.split(/(?<=[\u06F0-\u06F9])|(?=[\u06F0-\u06F9])/)

/** The words from right to left; between them, each sign by itself, brackets as their mirror images. */
const rightToLeft = (text: string) =>
  (text.match(/[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu) ?? [])
    .flatMap((part) => (LEFTWARD.test(part) ? [part] : charactersOf(part).map(mirrored)))
    .toReversed()

const mirrored = (character: string) => bidi.getMirroredCharacter(character) ?? character
