import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'

export type Weight = 'regular' | 'bold'

export interface Face {
  name: string
  bytes: Buffer
  /** The code points for which the font has a glyph. */
  covers: ReadonlySet<number>
}

const face = (name: string, file: string): Face => {
  const bytes = withoutSubstitutions(readFileSync(fileURLToPath(import.meta.resolve(file))))
  const font = fontkit.create(bytes)
  if (!('characterSet' in font)) throw new TypeError(`${file} holds several fonts`)
  return { name, bytes, covers: new Set(font.characterSet) }
}

/**
 * Disables glyph substitution, which takes nine tenths of the time of a Korean page and finds nothing in composed
 * Hangul. The table stays in the font under a name that no reader looks up.
 */
function withoutSubstitutions(bytes: Buffer): Buffer {
  const isTrueType = bytes.readUInt32BE(0) === 0x1_00_00
  const tables = isTrueType
    ? Array.from({ length: bytes.readUInt16BE(4) }, (_, index) => 12 + 16 * index)
    : []
  const table = tables.find((at) => bytes.toString('latin1', at, at + 4) === 'GSUB')
  if (table !== undefined) bytes.write('none', table, 'latin1')
  return bytes
}

/**
 * Noto Sans KR covers Korean, Latin, hanja and kana. Source Sans, on which the Latin of Noto Sans KR is based, covers
 * the letters it lacks (ğ, ı, ł, ș). Both are under the SIL Open Font License.
 */
export const faces: Record<Weight, readonly Face[]> = {
  regular: [
    face('Noto', '@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf'),
    face('Source', '@fontsource/source-sans-3/files/source-sans-3-latin-ext-400-normal.woff'),
    face('Source-Basic', '@fontsource/source-sans-3/files/source-sans-3-latin-400-normal.woff'),
  ],
  bold: [
    face('Noto-Bold', '@expo-google-fonts/noto-sans-kr/600SemiBold/NotoSansKR_600SemiBold.ttf'),
    face('Source-Bold', '@fontsource/source-sans-3/files/source-sans-3-latin-ext-600-normal.woff'),
    face('Source-Basic-Bold', '@fontsource/source-sans-3/files/source-sans-3-latin-600-normal.woff'),
  ],
}

/** Replaces a character that no face can show. */
export const REPLACEMENT = '□'

const isCovered = (codePoint: number) =>
  faces.regular.some((each, index) => each.covers.has(codePoint) && faces.bold[index]?.covers.has(codePoint))

const graphemes = new Intl.Segmenter('ko', { granularity: 'grapheme' })

/** Splits `text` into characters as a reader counts them (grapheme clusters). */
export const charactersOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

/**
 * Makes `text` drawable: removes invisible characters, turns every kind of space into a plain one, and replaces each
 * character without a glyph by one `REPLACEMENT`, even if an emoji consists of several code points. Line feeds stay.
 */
export const showable = (text: string) =>
  charactersOf(text.normalize('NFC').replaceAll(/\r\n?|[\u2028\u2029]/g, '\n'))
    .map((character) => {
      if (character === '\n') return character
      let shown = ''
      for (const symbol of character.replaceAll(/[\t\p{Zs}]/gu, ' ').replaceAll(/\p{DI}/gu, '')) {
        const isShown = isCovered(symbol.codePointAt(0) ?? 0)
        if (isShown || !shown.endsWith(REPLACEMENT)) shown += isShown ? symbol : REPLACEMENT
      }
      return shown
    })
    .join('')

/** Splits a text from `showable` into runs that a single face can show. */
export function runsOf(text: string, weight: Weight): { text: string; face: Face }[] {
  const runs: { text: string; face: Face }[] = []
  for (const symbol of text) {
    const codePoint = symbol.codePointAt(0) ?? 0
    const face = faces[weight].find(({ covers }) => covers.has(codePoint)) ?? faces[weight][0]
    const last = runs.at(-1)
    if (last && last.face === face) last.text += symbol
    else if (face) runs.push({ text: symbol, face })
  }
  return runs
}
