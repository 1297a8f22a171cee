import Pdf from 'pdfkit'
import { expect, test } from 'vitest'
import { listFontFaces } from './fonts.ts'
import type { FontFace } from './fonts.ts'
import { styles } from './palette.ts'
import { createTypesetter } from './typesetting.ts'

/*
 * A font is laid out by tables that may leave something out, as Khmer fonts do for some pairs of a letter and a mark. With
 * LAYOUT_TESTS=all each pair that any font has is laid out, and 10,000 random texts, which takes minutes; otherwise a hundredth of them.
 */
const EVERY = process.env['LAYOUT_TESTS'] === 'all' ? 1 : 97

const faces = [...new Map(listFontFaces().map((face) => [face.name, face])).values()]

/** The letters and the marks of a face; syllables and hanja, which stand alone, are left out. */
function charactersOf({ covers }: FontFace): { letters: string[]; marks: string[] } {
  const characters = [...covers].map((codePoint) => String.fromCodePoint(codePoint))
  return {
    letters: characters.filter((each) => /(?![\p{Script=Hangul}\p{Script=Han}])[\p{L}\p{N}]/u.test(each)),
    marks: characters.filter((each) => /[\p{M}\p{Join_C}]/u.test(each)),
  }
}

test.each(faces.map((face) => [face.name, face] as const))(
  '%s lays out its letters and marks',
  (_name, face) => {
    const { letters, marks } = charactersOf(face)
    const failed: string[] = []
    let count = 0
    for (const letter of letters)
      for (const mark of marks) {
        count += 1
        if (count % EVERY !== 0) continue
        try {
          face.font.layout(letter + mark)
        } catch (error) {
          failed.push(`${letter}${mark}: ${String(error)}`)
        }
      }
    if (EVERY === 1) console.info(`${face.name}: ${count} pairs`)
    expect(failed).toEqual([])
  },
)

const SCRIPTS =
  'Latin Hangul Han Hiragana Katakana Cyrillic Greek Armenian Georgian Hebrew Arabic Devanagari Bengali Tamil Thai Khmer Ethiopic Gurmukhi Telugu Tibetan'

test('random texts of 20 scripts are written, and no character fails', () => {
  let seed = 20_261_125
  // A linear congruential generator, so that each run tries the same texts.
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const all = Array.from({ length: 0x11000 }, (_, codePoint) => String.fromCodePoint(codePoint))
  const shared = Array.from(' \n()0٣३-.,\u0301\u0323\u200C\u200D\u200F\u2067\u2069😀')
  const alphabets = SCRIPTS.split(' ').map((script) => {
    const own = new RegExp(`\\p{Script_Extensions=${script}}`, 'u')
    return all.filter((character) => own.test(character))
  })
  const type = createTypesetter(new Pdf({ font: '', size: 'A4', tagged: true }))
  const count = EVERY === 1 ? 10_000 : 100
  for (let n = 0; n < count; n += 1) {
    const letters = alphabets[n % alphabets.length] ?? []
    const text = Array.from({ length: 1 + random(60) }, () => {
      const source = random(4) === 0 ? shared : letters
      return source[random(source.length)] ?? ''
    }).join('')
    for (const line of type.wrap(text, styles.body, 300)) type.write(line, 50, 50, styles.body)
  }
  expect([...type.undrawn]).toEqual([])
})
