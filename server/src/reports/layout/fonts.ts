import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'
import type { Font } from 'fontkit'
import { unpackWoff } from './woff.ts'

export type Weight = 'regular' | 'bold'

export interface FontFace {
  name: string
  bytes: Buffer
  font: Font
  /** The code points for which the font has a glyph. */
  covers: ReadonlySet<number>
}

/** A part of a text that is drawn with one face. */
export interface FontFaceRun {
  text: string
  /** What is drawn for it. */
  drawn: string
  face: FontFace
  /** Whether no font can show the text, so that `REPLACEMENT` is drawn for each of its characters. */
  isReplaced?: boolean
}

const face = (name: string, file: string, change = (bytes: Buffer) => bytes): FontFace => {
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
export const mainFontFaces: Record<Weight, readonly [FontFace, ...FontFace[]]> = {
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
  load: () => Record<Weight, FontFace>
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

/** Each face that a report may need. */
export const listFontFaces = (): FontFace[] =>
  [mainFontFaces, ...fallbacks.map(({ load }) => load())]
    .flatMap(({ regular, bold }) => [regular, bold])
    .flat()

/** What is drawn for a character that no face can show. */
export const REPLACEMENT = '□'
/** What stands in a text for what is no character; no face can show it. */
const NO_CHARACTER = '\uFFFD'

const MOST_FOUND = 20_000
const found: Record<Weight, Map<string, FontFace | undefined>> = { regular: new Map(), bold: new Map() }

/** The face that shows a whole character: a mark from another font would not stand on its letter. */
function faceOf(character: string, weight: Weight): FontFace | undefined {
  const known = found[weight]
  if (known.has(character)) return known.get(character)
  const codePoints = Array.from(character, (symbol) => symbol.codePointAt(0) ?? 0)
  const covers = (each: FontFace) => codePoints.every((codePoint) => each.covers.has(codePoint))
  const fallback = () =>
    fallbacks
      .filter(({ characters }) => characters.test(character))
      .map(({ load }) => load()[weight])
      .find(covers)
  if (known.size >= MOST_FOUND) known.clear()
  const face = mainFontFaces[weight].find(covers) ?? fallback()
  known.set(character, face)
  return face
}

const isShown = (character: string) => Boolean(faceOf(character, 'regular') && faceOf(character, 'bold'))

const graphemes = new Intl.Segmenter('ko', { granularity: 'grapheme' })

/** Splits `text` into characters as a reader counts them (grapheme clusters). */
export const charactersOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

const DIRECTION = /^\p{Bidi_C}$/u
const SIMPLE = /^[\n -~\u00A1-\u00AC\u00AE-\u00FF\u2013\u2014\u2018\u2019\u201C\u201D\u2026\u2212가-힣]*$/
/** What may make a character of several code points; each alone, as some of them join what stands before them. */
const JOINING = /\p{M}|[\u1100-\u11FF]|\u200C|\u200D|\p{Regional_Indicator}|\p{Emoji_Modifier}/u
/** What leaves no trace; U+200C and U+200D choose between forms behind a letter of a script that uses them. */
const INVISIBLE =
  /(?![\u200C\u200D])\p{DI}|(?<![\p{Script=Arabic}\p{Script=Bengali}\p{Script=Devanagari}\p{Script=Khmer}\p{Script=Tamil}]\p{M}*)[\u200C\u200D]/gu
/** More marks than any language sets on one letter would climb over other lines. */
const TOO_MANY_MARKS = /(?<=\p{M}{6})\p{M}+/gu
const EMOJI = /^\p{RGI_Emoji}$/v

/** Whether `character` is an emoji of several code points that are drawn as one sign. */
const isEmojiSequence = (character: string) => Array.from(character).length > 1 && EMOJI.test(character)

/**
 * Makes `text` drawable: removes invisible characters, turns every kind of space into a plain one, and replaces each control
 * character by `NO_CHARACTER`. Line feeds stay, as does what makes one sign of the parts of an emoji, and what directs
 * writing (UAX 9).
 */
export function drawableText(text: string): string {
  if (SIMPLE.test(text)) return text
  return charactersOf(text.normalize('NFC').replaceAll(/\r\n?|[\u2028\u2029]/g, '\n'))
    .map((character) => {
      if (character === '\n' || DIRECTION.test(character)) return character
      return isEmojiSequence(character) ? showableEmoji(character) : visible(character)
    })
    .join('')
}

/** Without invisible code points, and with a plain space for each other one. */
const visible = (character: string) =>
  character
    .replaceAll(/[\t\p{Zs}]/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\p{NChar}]/gu, NO_CHARACTER)
    .replaceAll(TOO_MANY_MARKS, '')
    .replaceAll(INVISIBLE, '')

/** An emoji as one sign if the font has it, or else its parts without colours of skin and hair. */
function showableEmoji(emoji: string): string {
  const { glyphs } = emojiFallback.load().regular.font.layout(emoji)
  if (glyphs.length === 1 && glyphs[0]?.id !== 0) return emoji
  const parts = Array.from(emoji.replaceAll(/[\p{DI}\p{Emoji_Modifier}]/gu, ''))
  const drawn = parts.filter(isShown)
  return drawn.length > 0 ? drawn.join('') : NO_CHARACTER
}

/** The run of a character that no font can show. */
export const missingGlyphRun = (text: string, weight: Weight): FontFaceRun => ({
  text,
  drawn: REPLACEMENT,
  face: mainFontFaces[weight][0],
  isReplaced: true,
})

/** Splits a text from `drawableText` into runs that a single face can show, without what directs writing. */
export function faceRuns(text: string, weight: Weight): FontFaceRun[] {
  const [base] = mainFontFaces[weight]
  if (SIMPLE.test(text)) return text === '' ? [] : [{ text, drawn: text, face: base }]
  const runs: FontFaceRun[] = []
  const line = text.replaceAll(/\p{Bidi_C}/gu, '')
  for (const character of JOINING.test(line) ? charactersOf(line) : line) {
    const run = runOf(character, weight)
    const last = runs.at(-1)
    if (last && last.face === run.face && last.isReplaced === run.isReplaced) {
      last.text += run.text
      last.drawn += run.drawn
    } else runs.push(run)
  }
  return runs
}

function runOf(character: string, weight: Weight): FontFaceRun {
  const face = isEmojiSequence(character) ? emojiFallback.load()[weight] : faceOf(character, weight)
  if (!face) return missingGlyphRun(character, weight)
  return { text: character, drawn: character.replaceAll(SARA_AM, '\u0E4D$1\u0E32'), face }
}

/** Thai AM with the marks before it: its ring stands below them, so fonts want it first. */
const SARA_AM = /([\u0E31\u0E34-\u0E37\u0E47-\u0E4E]*)\u0E33/g

/** Whether the glyphs of a run, each copied by itself, would not be its text. */
export const needsActualText = ({ text, drawn }: FontFaceRun): boolean => text !== drawn || JOINING.test(text)
