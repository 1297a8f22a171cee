import { createRequire } from 'node:module'
import type * as Bidi from 'bidi-js'
import { charactersOf } from './fonts.ts'

// The package is a CommonJS function, which its types take for the default export of one.
const makeBidi: typeof Bidi.default.default = createRequire(import.meta.url)('bidi-js')
const bidi = makeBidi()

/** A line of a paragraph in logical order, with what the whole paragraph says about its direction (UAX 9). */
export interface Line {
  text: string
  /** The embedding level of each UTF-16 unit; undefined if all are 0. */
  levels?: Uint8Array
  isRightToLeft: boolean
  /** Whether the next line goes on within a word. */
  isContinued?: boolean
}

/** What can give a text a level other than 0: letters and digits that run leftward, digits among them, and controls. */
const HAS_LEVELS =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}\p{Bidi_C}]/u

/** Computes the levels of a paragraph by UAX 9; its first strong letter gives its direction. */
export function computeBidiLine(paragraph: string, direction: 'ltr' | 'rtl' | 'auto' = 'auto'): Line {
  if (direction !== 'rtl' && !HAS_LEVELS.test(paragraph)) return { text: paragraph, isRightToLeft: false }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(inBasicPlane(paragraph), direction)
  return { text: paragraph, levels, isRightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1 }
}

/** The part of a line or paragraph from `start` to `end`. */
export const sliceLine = ({ text, levels, isRightToLeft }: Line, start: number, end: number): Line => ({
  text: text.slice(start, end),
  ...(levels && { levels: levels.subarray(start, end) }),
  isRightToLeft,
})

/** A character of each type, as far as characters beyond the basic plane have it. */
const EXAMPLES: Partial<Record<Bidi.BidiCharTypeName, string>> = {
  R: '\u05D0',
  AL: '\u0627',
  AN: '\u0660',
  EN: '0',
  ET: '#',
  ON: '!',
  NSM: '\u0300',
  BN: '\u00AD',
}

/**
 * bidi-js takes each half of a surrogate pair for a letter, so a character of its type stands for the pair, followed by
 * one that the algorithm passes over.
 */
const inBasicPlane = (text: string) =>
  text.replaceAll(
    /[\u{10000}-\u{10FFFF}]/gu,
    (symbol) => `${EXAMPLES[bidi.getBidiCharTypeName(symbol)] ?? 'a'}\u00AD`,
  )

/** A part of a line that is set at once. */
export interface Part {
  text: string
  /** Where it begins in the line, in UTF-16 units. */
  at: number
  /** Whether it is a word that the font sets from right to left. */
  isLeftward?: boolean
  /** What is written, if the text is its mirror image. */
  mirrors?: string
}

interface LevelRun extends Part {
  level: number
}

/**
 * Splits a line into parts in the order in which they stand from left to right (UAX 9, L2 and L4). A word of a script that
 * runs from right to left stays whole: the font sets its letters.
 */
export function inVisualOrder({ text, levels }: Line): Part[] {
  if (!levels) return [{ text, at: 0 }]
  const levelRuns: LevelRun[] = []
  for (let index = 0; index < text.length; index++) {
    const last = levelRuns.at(-1)
    // A joiner stays with its letter, and the second half of a pair with the first, though the algorithm leaves both out.
    const level = last && isLedOn(text.charCodeAt(index)) ? last.level : (levels[index] ?? 0)
    if (last && last.level === level) last.text += text[index] ?? ''
    else levelRuns.push({ level, text: text[index] ?? '', at: index })
  }
  return reordered(levelRuns)
    .flatMap((levelRun) => (levelRun.level % 2 === 0 ? leftToRight(levelRun) : rightToLeft(levelRun)))
    .map((part) => ({ ...part, text: part.text.replaceAll(/\p{Bidi_C}/gu, '') }))
    .filter((part) => part.text !== '')
}

/** Reverses all levelRuns from the highest level down to the lowest odd one. */
function reordered(levelRuns: readonly LevelRun[]): LevelRun[] {
  const order = [...levelRuns]
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

const LEFTWARD = /[\p{Script_Extensions=Arabic}\p{Script_Extensions=Hebrew}]/u
const LEFTWARD_WORD =
  /((?:[\p{Script=Arabic}\p{Script=Hebrew}\u0640][\p{M}\p{Join_C}]*(?<=[\p{L}\p{M}\p{Join_C}]))+)/u

// fontkit would reverse several characters of the Arabic script, such as its digits.
const leftToRight = ({ text, at }: Part): Part[] =>
  LEFTWARD.test(text) ? placed(charactersOf(text), at) : [{ text, at }]

/** The words from right to left; between them, each sign by itself, brackets as their mirror images. */
const rightToLeft = ({ text, at }: Part): Part[] =>
  placed(text.split(LEFTWARD_WORD), at)
    .flatMap((part, index) =>
      index % 2 === 1
        ? [{ ...part, isLeftward: true }]
        : placed(charactersOf(part.text), part.at).map(({ text: sign, at: place }) => {
            const image = mirrorCharacter(sign)
            return { text: image, at: place, ...(image !== sign && { mirrors: sign }) }
          }),
    )
    .toReversed()

function placed(texts: readonly string[], start: number): Part[] {
  let at = start
  return texts.map((text) => {
    at += text.length
    return { text, at: at - text.length }
  })
}

/** The mirror image of a sign that has one, such as a bracket. */
export const mirrorCharacter = (character: string) => bidi.getMirroredCharacter(character) ?? character

/** Whether a UTF-16 unit goes with the one before: a joiner, or the second half of a pair. */
const isLedOn = (unit: number) => unit === 0x200c || unit === 0x200d || (unit >= 0xdc00 && unit <= 0xdfff)
