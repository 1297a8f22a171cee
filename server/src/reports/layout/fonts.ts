import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'
import type { Font } from 'fontkit'
import { unpackWoff } from './woff.ts'

export type Weight = 'regular' | 'bold'

export interface Face {
  name: string
  bytes: Buffer
  font: Font
  /** The code points for which the font has a glyph. */
  covers: ReadonlySet<number>
}

const face = (name: string, file: string, change = (bytes: Buffer) => bytes): Face => {
  const bytes = change(readFileSync(fileURLToPath(import.meta.resolve(file))))
  const font = fontkit.create(bytes)
  if (!('characterSet' in font)) throw new TypeError(`${file} holds several fonts`)
  return { name, bytes, font, covers: new Set(font.characterSet) }
}

/**
 * Disables glyph substitution, which takes nine tenths of the time of a Korean page and finds nothing in composed
 * Hangul. The table stays in the font under a name that no reader looks up.
 */
function withoutSubstitutions(bytes: Buffer): Buffer {
  const tables = Array.from({ length: bytes.readUInt16BE(4) }, (_, index) => 12 + 16 * index)
  const table = tables.find((at) => bytes.toString('latin1', at, at + 4) === 'GSUB')
  if (table !== undefined) bytes.write('none', table, 'latin1')
  return bytes
}

const sourceSans = (name: string, subset: string, weight: number) =>
  face(name, `@fontsource/source-sans-3/files/source-sans-3-${subset}-${weight}-normal.woff`, unpackWoff)

/**
 * Noto Sans KR covers Korean, Latin, hanja and kana. Source Sans, on which the Latin of Noto Sans KR is based, covers
 * the letters it lacks (ğ, ı, ł, ș). Like all fonts here, both are under the SIL Open Font License.
 */
export const faces: Record<Weight, readonly Face[]> = {
  regular: [
    face(
      'Noto',
      '@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf',
      withoutSubstitutions,
    ),
    sourceSans('Source', 'latin-ext', 400),
    sourceSans('Source-Basic', 'latin', 400),
  ],
  bold: [
    face(
      'Noto-Bold',
      '@expo-google-fonts/noto-sans-kr/600SemiBold/NotoSansKR_600SemiBold.ttf',
      withoutSubstitutions,
    ),
    sourceSans('Source-Bold', 'latin-ext', 600),
    sourceSans('Source-Basic-Bold', 'latin', 600),
  ],
}

/** A font for other characters, which is read from the disk when the first of them is written. */
interface Fallback {
  /** The characters for which it is worth reading. */
  characters: RegExp
  load: () => Record<Weight, Face>
}

const lazily = <Value>(make: () => Value) => {
  let made: Value | undefined
  return () => (made ??= make())
}

const sourceFallback = (characters: RegExp, subset: string): Fallback => ({
  characters,
  load: lazily(() => ({
    regular: sourceSans(`Source-${subset}`, subset, 400),
    bold: sourceSans(`Source-${subset}-Bold`, subset, 600),
  })),
})

const notoFallback = (characters: RegExp, script: string): Fallback => {
  const file = (weight: number) =>
    `@fontsource/noto-sans-${script}/files/noto-sans-${script}-${script}-${weight}-normal.woff`
  return {
    characters,
    load: lazily(() => ({
      regular: face(`Noto-${script}`, file(400), unpackWoff),
      bold: face(`Noto-${script}-Bold`, file(600), unpackWoff),
    })),
  }
}

const emojiFallback: Fallback = {
  characters: /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Component}]/u,
  load: lazily(() => {
    const emoji = face('Noto-Emoji', '@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf')
    return { regular: emoji, bold: emoji }
  }),
}

const fallbacks: readonly Fallback[] = [
  sourceFallback(/\p{Script=Cyrillic}/u, 'cyrillic'),
  sourceFallback(/\p{Script=Cyrillic}/u, 'cyrillic-ext'),
  sourceFallback(/\p{Script=Greek}/u, 'greek'),
  sourceFallback(/\p{Script=Greek}/u, 'greek-ext'),
  sourceFallback(/[\p{Script=Latin}\p{M}]/u, 'vietnamese'),
  notoFallback(/[\p{Script=Arabic}\p{Script_Extensions=Arabic}]/u, 'arabic'),
  notoFallback(/\p{Script=Armenian}/u, 'armenian'),
  notoFallback(/\p{Script_Extensions=Bengali}/u, 'bengali'),
  notoFallback(/\p{Script_Extensions=Devanagari}/u, 'devanagari'),
  notoFallback(/\p{Script_Extensions=Georgian}/u, 'georgian'),
  notoFallback(/\p{Script=Hebrew}/u, 'hebrew'),
  notoFallback(/\p{Script=Khmer}/u, 'khmer'),
  notoFallback(/\p{Script_Extensions=Tamil}/u, 'tamil'),
  notoFallback(/\p{Script=Thai}/u, 'thai'),
  emojiFallback,
]

/** Stands, in a text from `showable`, for a character that no face can show; it is written as `REPLACEMENT`. */
export const MISSING = String.fromCodePoint(0x10_ff_fd)
export const REPLACEMENT = '□'

/** Marks a line of a paragraph that runs from right to left. */
export const RIGHT_TO_LEFT = '\u200F'

const found: Record<Weight, Map<number, Face | undefined>> = { regular: new Map(), bold: new Map() }

/** The face that shows a code point, or undefined. */
function faceOf(codePoint: number, weight: Weight): Face | undefined {
  const known = found[weight]
  if (!known.has(codePoint)) {
    const symbol = String.fromCodePoint(codePoint)
    const covers = (each: Face) => each.covers.has(codePoint)
    const fallback = () =>
      fallbacks
        .filter(({ characters }) => characters.test(symbol))
        .map(({ load }) => load()[weight])
        .find(covers)
    known.set(codePoint, faces[weight].find(covers) ?? fallback())
  }
  return known.get(codePoint)
}

const isShown = (symbol: string) => {
  const codePoint = symbol.codePointAt(0) ?? 0
  return Boolean(faceOf(codePoint, 'regular') && faceOf(codePoint, 'bold'))
}

const graphemes = new Intl.Segmenter('ko', { granularity: 'grapheme' })

/** Splits `text` into characters as a reader counts them (grapheme clusters). */
export const charactersOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

const SIMPLE = /^[\n -~\u00A1-\u00AC\u00AE-\u00FF가-힣]*$/
// Each alone, as some of them join what stands before them.
const EMOJI_PARTS = /\u200D|\uFE0F|\u20E3|\p{Regional_Indicator}|\p{Emoji_Modifier}/u
const EMOJI = /^\p{RGI_Emoji}$/v

/** Whether `character` is an emoji of several code points that are drawn as one sign. */
const isEmojiSequence = (character: string) => Array.from(character).length > 1 && EMOJI.test(character)

/**
 * Makes `text` drawable: removes invisible characters, turns every kind of space into a plain one, and replaces each
 * character without a glyph by one `MISSING`, even if it consists of several code points. Line feeds stay, as does what
 * makes one sign of the parts of an emoji, and `RIGHT_TO_LEFT` at the beginning.
 */
export function showable(text: string): string {
  if (SIMPLE.test(text)) return text
  if (text.startsWith(RIGHT_TO_LEFT)) return RIGHT_TO_LEFT + showable(text.slice(1))
  return charactersOf(text.normalize('NFC').replaceAll(/\r\n?|[\u2028\u2029]/g, '\n'))
    .map((character) => {
      if (character === '\n') return character
      if (isEmojiSequence(character)) return showableEmoji(character)
      let shown = ''
      for (const symbol of character.replaceAll(/[\t\p{Zs}]/gu, ' ').replaceAll(/\p{DI}/gu, '')) {
        const isDrawn = isShown(symbol)
        if (isDrawn || !shown.endsWith(MISSING)) shown += isDrawn ? symbol : MISSING
      }
      return shown
    })
    .join('')
}

/** An emoji as one sign if the font has it, or else its parts without colours of skin and hair. */
function showableEmoji(emoji: string): string {
  const { glyphs } = emojiFallback.load().regular.font.layout(emoji)
  if (glyphs.length === 1 && glyphs[0]?.id !== 0) return emoji
  const parts = Array.from(emoji.replaceAll(/[\p{DI}\p{Emoji_Modifier}]/gu, ''))
  const drawn = parts.filter(isShown)
  return drawn.length > 0 ? drawn.join('') : MISSING
}

/** Splits a text from `showable` into runs that a single face can show, and writes `REPLACEMENT` for `MISSING`. */
export function runsOf(text: string, weight: Weight): { text: string; face: Face }[] {
  const runs: { text: string; face: Face }[] = []
  const [base] = faces[weight]
  const add = (part: string, face: Face | undefined) => {
    const last = runs.at(-1)
    if (last && last.face === face) last.text += part
    else if (face) runs.push({ text: part, face })
  }
  if (SIMPLE.test(text) || !EMOJI_PARTS.test(text)) {
    for (const symbol of text) {
      if (symbol === MISSING) add(REPLACEMENT, base)
      else add(symbol, faceOf(symbol.codePointAt(0) ?? 0, weight) ?? base)
    }
    return runs
  }
  for (const character of charactersOf(text)) {
    if (isEmojiSequence(character)) add(character, emojiFallback.load()[weight])
    else for (const run of runsOf(character.replaceAll(/\p{DI}/gu, ''), weight)) add(run.text, run.face)
  }
  return runs
}
