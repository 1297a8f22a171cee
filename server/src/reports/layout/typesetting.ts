import {
  charactersOf,
  mainFontFaces,
  needsActualText,
  missingGlyphRun,
  faceRuns,
  drawableText,
} from './fonts.ts'
import type { FontFace, FontFaceRun, Weight } from './fonts.ts'
import { artifactTag } from './tag.ts'
import type { TagMark, Tag } from './tag.ts'
import { inVisualOrder, computeBidiLine, sliceLine } from './writing-direction.ts'
import type { Line, Part } from './writing-direction.ts'

export interface Style {
  size: number
  weight: Weight
  color: string
}

export interface Typesetter {
  /** Whether this page has a character that no font can show. */
  hasReplacedOn: (page: PDFKit.PDFPage) => boolean
  /** The characters that a font has, but failed to lay out, as code points; they are drawn as replaced. */
  undrawn: ReadonlySet<string>
  width: (text: string, style: Style) => number
  /**
   * Breaks `text` into lines of at most `width` at spaces and hyphens, or between words of a script without spaces, and
   * within a word only if it is wider than a line.
   */
  wrap: (text: string, style: Style, width: number) => Line[]
  /** Shortens `text` with an ellipsis if it is wider than `width`. */
  fit: (text: string, style: Style, width: number) => string
  /** A style in which a figure, which must not be shortened, is at most as wide as `width`. */
  shrink: (text: string, style: Style, width: number) => Style
  /** Writes what follows into `tag`; without one, outside the structure. */
  begin: (tag?: Tag) => void
  /** Writes one line on the baseline `y`; a space parts it from the line before in its tag. */
  write: (
    text: string | Line,
    x: number,
    y: number,
    style: Style,
    align?: 'left' | 'center' | 'right',
  ) => void
}

/** Registers the fonts with `doc` and returns its typesetter; all lengths are in points. */
export function createTypesetter(doc: PDFKit.PDFDocument): Typesetter {
  const registered = new Set<FontFace>()
  const pagesWithReplacement = new Set<PDFKit.PDFPage>()

  const undrawn = new Set<string>()
  let tag = artifactTag(doc)
  /** Where the text before ended in this tag, if the next one is another word. */
  let before: { x: number; y: number; style: Style; page: PDFKit.PDFPage } | undefined

  const widthOf = (run: FontFaceRun, size: number) => {
    if (!registered.has(run.face)) doc.registerFont(run.face.name, run.face.bytes)
    registered.add(run.face)
    return doc.font(run.face.name).fontSize(size).widthOfString(run.drawn)
  }
  const sized = (run: FontFaceRun, size: number): Sized => ({ run, width: widthOf(run, size) })
  const isLaidOut = (run: FontFaceRun) => {
    try {
      widthOf(run, 1)
      return true
    } catch {
      return false
    }
  }
  /** The runs of a text; no text makes a page impossible, so a character that its font cannot lay out is replaced. */
  const laidOut = (text: string, { size, weight }: Style): Sized[] => {
    const runs = faceRuns(text, weight)
    try {
      return runs.map((run) => sized(run, size))
    } catch {
      return runs
        .flatMap((run) =>
          isLaidOut(run) ? [run] : charactersOf(run.drawn).map((each) => drawable(each, run, weight)),
        )
        .map((run) => sized(run, size))
    }
  }
  const drawable = (character: string, { face }: FontFaceRun, weight: Weight): FontFaceRun => {
    const run = { text: character, drawn: character, face }
    if (isLaidOut(run)) return run
    undrawn.add(codePointsOf(character))
    return missingGlyphRun(character, weight)
  }
  const draw = (run: FontFaceRun, x: number, y: number, size: number, mark?: TagMark) => {
    doc.font(run.face.name).fontSize(size)
    doc.text(run.drawn, x, y, { lineBreak: false, baseline: 'alphabetic', ...mark })
  }
  const measure = (text: string, style: Style) =>
    laidOut(text, style).reduce((all, { width }) => all + width, 0)

  // pdfkit shapes text word by word, so the widths of the words add up to the width of their line.
  function wrapParagraph(paragraph: Line, style: Style, width: number): Line[] {
    const lines: Line[] = []
    let start = 0
    let end = 0
    let room = width
    const endLine = () => {
      const last = start + paragraph.text.slice(start, end).trimEnd().length
      const isContinued = last === end && end < paragraph.text.length
      lines.push({ ...sliceLine(paragraph, start, last), isContinued })
      start = end
      room = width
    }
    const add = (piece: string) => {
      if (measure(piece.trimEnd(), style) > room && end > start) endLine()
      end += piece.length
      room -= measure(piece, style)
    }
    for (const word of wordsOf(paragraph.text)) {
      if (measure(word.trimEnd(), style) <= width) add(word)
      else for (const character of charactersOf(word)) add(character)
    }
    endLine()
    return lines
  }

  return {
    hasReplacedOn: (page) => pagesWithReplacement.has(page),
    undrawn,
    begin(next = artifactTag(doc)) {
      tag = next
      before = undefined
    },
    width: (text, style) => measure(drawableText(text), style),
    wrap: (text, style, width) =>
      drawableText(text)
        .split('\n')
        .flatMap((paragraph) => wrapParagraph(computeBidiLine(paragraph), style, width)),
    fit(text, style, width) {
      const line = drawableText(text).replaceAll('\n', ' ')
      if (measure(line, style) <= width) return line
      const characters = charactersOf(line)
      while (characters.length > 0 && measure(`${characters.join('')}…`, style) > width) characters.pop()
      return `${characters.join('').trimEnd()}…`
    },
    shrink: (text, style, width) => ({
      ...style,
      size: Math.min(1, width / measure(drawableText(text), style)) * style.size,
    }),
    write(text, x, y, style, align = 'left') {
      const line = typeof text === 'string' ? computeBidiLine(drawableText(text)) : text
      let width = 0
      const pieces = inVisualOrder(line).flatMap((part) =>
        inPlaces(part, laidOut(part.text, style)).map((piece): Piece & { x: number } => {
          const left = width
          width += piece.width
          return { ...piece, x: left }
        }),
      )
      const start = align === 'left' ? x : x - width * (align === 'right' ? 1 : 0.5)
      if (pieces.some(({ run }) => run.isReplaced)) pagesWithReplacement.add(doc.page)
      if (before) {
        const { style: last, page } = before
        const [end, base] = page === doc.page ? [before.x, before.y] : [start, y]
        const space = { text: ' ', drawn: ' ', face: mainFontFaces[last.weight][0] }
        tag.add(() => draw(space, end, base, last.size))
      }
      doc.fillColor(style.color)
      // Readers that follow the file meet the words in the order in which they were written.
      const inOrder = line.levels ? pieces.toSorted((one, other) => one.at - other.at) : pieces
      const contents = inOrder.map(({ run, x: left, actual }) => ({
        actual,
        draw: (mark?: TagMark) => draw(run, start + left, y, style.size, mark),
      }))
      if (line.levels || contents.some(({ actual }) => actual !== undefined)) tag.addSpan(line.text, contents)
      else tag.add(() => contents.forEach((content) => content.draw()))
      before = line.isContinued ? undefined : { x: start + width, y, style, page: doc.page }
    },
  }
}

/** A run with its width in points. */
interface Sized {
  run: FontFaceRun
  width: number
}

/** A run of a line, and where it begins in it. */
interface Piece extends Sized {
  at: number
  /** What is copied in place of its glyphs. */
  actual?: string | undefined
}

/** The runs of a part of a line, from left to right. */
function inPlaces({ at, isLeftward, mirrors }: Part, runs: readonly Sized[]): Piece[] {
  let place = at
  const pieces = runs.map(({ run, width }): Piece => {
    place += run.text.length
    // Readers turn a word that runs leftward themselves, so it is copied by its glyphs.
    const isOther = isLeftward ? run.isReplaced : needsActualText(run)
    return { run, width, at: place - run.text.length, actual: mirrors ?? (isOther ? run.text : undefined) }
  })
  return isLeftward ? pieces.toReversed() : pieces
}

const codePointsOf = (text: string) =>
  Array.from(
    text,
    (symbol) => `U+${(symbol.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  ).join(' ')

const WITHOUT_SPACES = /[\p{Script=Thai}\p{Script=Khmer}]/u
const dictionary = new Intl.Segmenter('th', { granularity: 'word' })

/** Splits a line where it may be broken. */
function wordsOf(line: string): string[] {
  if (!WITHOUT_SPACES.test(line)) return line.split(/(?<=[ -])/)
  const words: string[] = []
  for (const { segment, isWordLike } of dictionary.segment(line)) {
    const last = words.at(-1)
    // Punctuation stays with the word before it.
    if (isWordLike || last === undefined) words.push(segment)
    else words[words.length - 1] = last + segment
  }
  return words
}
