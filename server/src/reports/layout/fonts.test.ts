import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { languageCodes, languages } from '../languages/index.ts'
import { charactersOf, mainFontFaces, faceRuns, drawableText } from './fonts.ts'
import type { Weight } from './fonts.ts'

const weights: Weight[] = ['regular', 'bold']

/** Whether every character of `text` is drawn by a face that has a glyph for it, or as replaced. */
const isDrawn = (text: string) =>
  weights.every((weight) => {
    const runs = faceRuns(text, weight)
    return (
      runs.map((run) => run.text).join('') === text.replaceAll(/\p{Bidi_C}/gu, '') &&
      // The parts of an emoji are one sign or several, but never a missing one.
      runs.every(({ drawn, face }) => face.font.layout(drawn).glyphs.every(({ id }) => id > 0))
    )
  })

/** What a reader sees of `text`. */
const seen = (text: string) =>
  faceRuns(drawableText(text), 'regular')
    .map((run) => run.drawn)
    .join('')

const isReplaced = (text: string) =>
  weights.some((weight) => faceRuns(text, weight).some((run) => run.isReplaced))

/** Collects every text that `words` holds, and the results of its functions. */
function textsOf(words: unknown): string[] {
  if (typeof words === 'string') return [words]
  if (typeof words === 'function') {
    return months.flatMap((date) =>
      textsOf(Reflect.apply(words, undefined, argumentsFor(words.length, date))),
    )
  }
  return typeof words === 'object' && words !== null ? Object.values(words).flatMap(textsOf) : []
}

// The functions take dates or numbers; a date in place of a number does no harm here.
const months = Array.from(
  { length: 12 },
  (_, month) => `2026-${String(month + 1).padStart(2, '0')}-0${1 + (month % 7)}`,
)
const argumentsFor = (count: number, date: string) => Array.from({ length: count }, () => date)

describe('every text of a report', () => {
  test.each(languageCodes)('in %s has its glyphs', (code) => {
    const texts = textsOf(languages[code])
    expect(texts.length).toBeGreaterThan(100)
    for (const text of texts) expect({ text, isDrawn: isDrawn(text) }).toEqual({ text, isDrawn: true })
  })

  test('in every language says the same things', () => {
    // The head of a column may take two lines.
    const isText = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')
    const keys = (value: unknown): unknown =>
      isText(value)
        ? 'string'
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keys(each)]))
          : typeof value
    const [first, ...rest] = languageCodes.map((code) => keys(languages[code]))
    for (const other of rest) expect(other).toEqual(first)
  })

  test('may hold every syllable of Korean, hanja, kana, the letters of Europe and of other scripts, and emoji', () => {
    const range = (first: number, last: number) =>
      String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index))
    for (const text of [
      range(0xac00, 0xd7a3),
      range(0x3131, 0x3163),
      range(0x3041, 0x3093),
      range(0x20, 0x7e),
      range(0xc0, 0x148),
      range(0x14a, 0x17e),
      range(0x401, 0x45f),
      range(0x391, 0x3a1),
      range(0x3b1, 0x3c9),
      range(0xe01, 0xe3a),
      range(0x5d0, 0x5ea),
      range(0x621, 0x63a),
      range(0x905, 0x939),
      range(0x10d0, 0x10f0),
      range(0x1f600, 0x1f64f),
      '韓國 漢方 藥 病院 Łukasz Șerban Yağız Nguyễn Đặng Ærø “‘…’” – — · • ℃ ½ × ÷ ± → ① ㎎ ㎖',
    ]) {
      expect(isReplaced(drawableText(text))).toBe(false)
      expect(isDrawn(drawableText(text))).toBe(true)
    }
  })
})

test('an emoji of several parts is one sign', () => {
  for (const emoji of ['👨‍👩‍👧‍👦', '🇰🇷', '👍🏽', '1️⃣', '❤️', '🏳️‍🌈']) {
    const [run, ...others] = faceRuns(drawableText(emoji), 'regular')
    expect(others).toEqual([])
    expect(run?.face.font.layout(run.drawn).glyphs).toHaveLength(1)
  }
})

describe('a letter and its marks', () => {
  test.each(['Adébáyọ̀ Bùkọ́lá', 'Olúwakẹ́mi', 'ɛ́', 'ñ̃', 'Ṣọ́lá', 'שָׁלוֹם', 'நொ', 'ខ្ញុំ'])(
    'are drawn by one font in %s',
    (text) => {
      for (const weight of weights)
        for (const character of charactersOf(drawableText(text)))
          expect(faceRuns(character, weight)).toHaveLength(1)
      expect(drawableText(text)).toBe(text.normalize('NFC'))
    },
  )

  test('are a box together if no font has both', () => {
    expect(seen('ά̓')).toBe('□')
  })

  test('keep their joiners where a script has forms for them', () => {
    for (const text of ['می‌خواهم', 'র‍্যাব', 'दर्‍या']) expect(drawableText(text)).toBe(text)
    expect(drawableText('a\u200Cb\u200D')).toBe('ab')
  })

  test.each(['น้ำ', 'ก่ำ', 'ป๊ำ', 'ว๋ำ'])('the ring of %s stands below the tone', (text) => {
    const [consonant = '', tone = ''] = text
    expect(faceRuns(drawableText(text), 'regular').map((run) => run.drawn)).toEqual([
      `${consonant}\u0E4D${tone}\u0E32`,
    ])
  })

  test('are bounded', () => {
    expect(drawableText(`a${'\u0301'.repeat(300)}`).length).toBeLessThan(10)
  })
})

describe('text that a family writes', () => {
  test('is drawn or visibly replaced, and never gets longer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const shown = drawableText(text)
        expect(isDrawn(shown.replaceAll('\n', ''))).toBe(true)
        expect(charactersOf(shown).length).toBeLessThanOrEqual(Array.from(text.normalize('NFC')).length)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['잘 잤음 😀', '잘 잤음 😀'],
    ['👨‍👩‍👧‍👦 가족', '👨‍👩‍👧‍👦 가족'],
    ['🇰🇷🇰🇷', '🇰🇷🇰🇷'],
    ['👍🏽!', '👍🏽!'],
    ['1️⃣', '1️⃣'],
    ['مرحبا', 'مرحبا'],
    // The fonts have neither simplified hanja nor Tibetan.
    ['们好 བོད', '□好 □□'],
    // Decomposed, as macOS writes file names.
    ['한글'.normalize('NFD'), '한글'],
    ['é'.normalize('NFD'), 'é'],
    ['a\tb\u00a0c\u3000d', 'a b c d'],
    ['한\u200b글\ufeff', '한글'],
    ['줄\r\n줄\u2028줄', '줄\n줄\n줄'],
    ['\u0007종', '□종'],
  ])('%j is shown as %j', (text, shown) => {
    expect(seen(text)).toBe(shown)
  })

  test('each sign of the basic plane is drawn by a face that covers it', () => {
    const undrawn = Array.from({ length: 0xd800 - 0x20 }, (_, index) => String.fromCharCode(index + 0x20))
      .flatMap((sign) => weights.flatMap((weight) => faceRuns(drawableText(sign).replace('\n', ''), weight)))
      .filter(({ drawn, face }) =>
        Array.from(drawn).some((sign) => !face.covers.has(sign.codePointAt(0) ?? 0)),
      )
    expect(undrawn.map(({ drawn }) => drawn)).toEqual([])
  })

  test('the replacement is itself drawn', () => {
    for (const weight of weights) expect(mainFontFaces[weight][0]?.covers.has(0x25a1)).toBe(true)
  })
})
