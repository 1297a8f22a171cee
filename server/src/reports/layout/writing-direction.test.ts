import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { inVisualOrder, computeBidiLine, mirrorCharacter, sliceLine } from './writing-direction.ts'
import type { Line } from './writing-direction.ts'

const visual = (line: Line) => inVisualOrder(line).map(({ text }) => text)

test.each([
  ['plain 가나다', ['plain 가나다']],
  ['שלום עולם', ['עולם', ' ', 'שלום']],
  // Numbers keep their order, and brackets open to the other side.
  ['שעות 12:30 (בערך)', ['(', 'בערך', ')', ' ', '12:30', ' ', 'שעות']],
  ['took ميلاتونين at 9', ['took ', 'ميلاتونين', ' at 9']],
  // Digits of the Arabic script, too, run from left to right, and give no direction.
  ['۱۲ گھنٹے', ['گھنٹے', ' ', '۱', '۲']],
  ['٢٥ mg', ['٢', '٥', ' ', 'm', 'g'].join('')],
  ['دواء ١٠ ملغ', ['ملغ', ' ', '١', '٠', ' ', 'دواء']],
  ['٢١:٣٠', '٢١:٣٠'],
  ['نوم ٢١:٣٠', ['٢', '١', ':', '٣', '٠', ' ', 'نوم']],
  // An emoji is no letter, although it lies beyond the basic plane.
  ['نام 😀 12', ['12', ' ', '😀', ' ', 'نام']],
  ['نام \u{10FFFD}', ['\u{10FFFD}', ' ', 'نام']],
  ['می\u200Cخواهم ok', ['ok', ' ', 'می\u200Cخواهم']],
  ['ok می\u200Cخواهم', ['ok ', 'می\u200Cخواهم']],
  // What directs writing does so, and is not drawn.
  ['\u200F12 (7)', '(7) 12'],
  ['\u2067שלום (a)\u2069!', ['(', 'a', ')', ' ', 'שלום', '!']],
])('%j stands from left to right as %j', (text, parts) => {
  const order = visual(computeBidiLine(text))
  expect(typeof parts === 'string' ? order.join('') : order).toEqual(parts)
})

test('a later line of a paragraph keeps its direction though it begins with another script', () => {
  const paragraph = computeBidiLine('ميلاتونين 3 mg ميلاتونين')
  expect(paragraph.isRightToLeft).toBe(true)
  expect(visual(sliceLine(paragraph, 10, 24))).toEqual(['ميلاتونين', ' ', 'mg', ' ', '3'])
  expect(computeBidiLine('3 ميلاتونين mg').isRightToLeft).toBe(true)
  expect(computeBidiLine('mg ميلاتونين').isRightToLeft).toBe(false)
})

const UNICODE = '/usr/share/unicode'
const isInstalled = existsSync(`${UNICODE}/BidiTest.txt`)
const skipped = !isInstalled && process.env['CI'] !== 'true'
const why = skipped ? ' (skipped: no Unicode files; install unicode-data)' : ''

/** The lines of one of Unicode's files but comments. */
const linesOf = (file: string) =>
  readFileSync(`${UNICODE}/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

const fromHex = (codePoints: string) =>
  codePoints.split(' ').map((hex) => String.fromCodePoint(Number.parseInt(hex, 16)))

/** The levels by code point; `x` in `expected` stands for one that the algorithm leaves out. */
function levelsLike(
  expected: readonly string[],
  characters: readonly string[],
  levels?: Uint8Array,
): string[] {
  let at = 0
  return characters.map((character, index) => {
    const level = levels?.[at] ?? 0
    at += character.length
    return expected[index] === 'x' ? 'x' : String(level)
  })
}

/** The signs from left to right; a font sets the letters of a word that runs leftward. */
const drawnOrder = (line: Line) =>
  visual(line)
    .flatMap((part) =>
      /^[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(part) ? Array.from(part).toReversed() : part,
    )
    .join('')

/** The same as the file has it; with mirrored signs, which are no part of the file. */
const shownAt = (places: readonly number[], characters: readonly string[], levels: readonly string[]) =>
  places
    .map((place) => ({ character: characters[place] ?? '', isOdd: Number(levels[place]) % 2 === 1 }))
    .filter(({ character }) => !/\p{Bidi_C}/u.test(character))
    .map(({ character, isOdd }) => (isOdd ? mirrorCharacter(character) : character))
    .join('')

// With UNICODE_TESTS=all, each line is tried, which takes half a minute.
const EVERY = process.env['UNICODE_TESTS'] === 'all' ? 1 : 100

describe.skipIf(skipped)(`the files by which Unicode tests UAX 9${why}`, () => {
  test('BidiCharacterTest', () => {
    const wrong: string[] = []
    for (const [number, line] of linesOf('BidiCharacterTest.txt').entries()) {
      if (number % EVERY !== 0) continue
      const [codePoints = '', direction, paragraph, levels = '', order = ''] = line.split(';')
      const characters = fromHex(codePoints)
      const made = computeBidiLine(
        characters.join(''),
        direction === '0' ? 'ltr' : direction === '1' ? 'rtl' : 'auto',
      )
      const expected = levels.split(' ')
      const given = levelsLike(expected, characters, made.levels)
      const places = order === '' ? [] : order.split(' ').map(Number)
      const isInOrder =
        /[\p{M}\u00AD\u2060]/u.test(made.text) || drawnOrder(made) === shownAt(places, characters, expected)
      if (given.join(' ') !== levels || made.isRightToLeft !== (paragraph === '1') || !isInOrder)
        wrong.push(line)
    }
    expect(wrong).toEqual([])
  })

  test('BidiTest', () => {
    const wrong: string[] = []
    let expected: string[] = []
    let number = 0
    for (const line of linesOf('BidiTest.txt')) {
      if (line.startsWith('@Levels:')) expected = line.slice(8).trim().split(/\s+/)
      number += 1
      if (line.startsWith('@') || number % EVERY !== 0) continue
      const [types = '', directions = ''] = line.split('; ')
      const characters = types.split(' ').map((type) => OF_TYPE[type] ?? '')
      for (const [bit, direction] of [
        [1, 'auto'],
        [2, 'ltr'],
        [4, 'rtl'],
      ] as const) {
        if ((Number.parseInt(directions, 16) & bit) === 0) continue
        const { levels } = computeBidiLine(characters.join(''), direction)
        if (levelsLike(expected, characters, levels).join() !== expected.join())
          wrong.push(`${direction} ${line}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

/** A character of each type of UAX 9. */
const OF_TYPE: Record<string, string> = {
  L: 'a',
  R: '\u05D0',
  AL: '\u0627',
  EN: '0',
  AN: '\u0660',
  ES: '+',
  ET: '#',
  CS: ',',
  NSM: '\u0300',
  BN: '\u00AD',
  B: '\u2029',
  S: '\t',
  WS: ' ',
  ON: '!',
  LRE: '\u202A',
  RLE: '\u202B',
  PDF: '\u202C',
  LRO: '\u202D',
  RLO: '\u202E',
  LRI: '\u2066',
  RLI: '\u2067',
  FSI: '\u2068',
  PDI: '\u2069',
}
