import type { Weight } from './fonts.ts'
import { charactersOf, RIGHT_TO_LEFT, runsOf, showable, MISSING } from './fonts.ts'
import type { Face } from './fonts.ts'
import { inVisualOrder, isRightToLeft } from './writing-direction.ts'

export interface Style {
  size: number
  weight: Weight
  color: string
}

export interface Typesetter {
  /** Whether this page has a character that no font can show. */
  hasReplacedOn: (page: PDFKit.PDFPage) => boolean
  width: (text: string, style: Style) => number
  /**
   * Breaks `text` into lines of at most `width` at spaces and hyphens, or between words of a script without spaces, and
   * within a word only if it is wider than a line.
   */
  wrap: (text: string, style: Style, width: number) => string[]
  /** Shortens `text` with an ellipsis if it is wider than `width`. */
  fit: (text: string, style: Style, width: number) => string
  /** Writes one line on the baseline `y`. */
  write: (text: string, x: number, y: number, style: Style, align?: 'left' | 'center' | 'right') => void
}

/** Registers the fonts with `doc` and returns its typesetter; all lengths are in points. */
export function createTypesetter(doc: PDFKit.PDFDocument): Typesetter {
  const registered = new Set<Face>()
  const pagesWithReplacement = new Set<PDFKit.PDFPage>()

  const widthOf = (run: { text: string; face: Face }, size: number) => {
    if (!registered.has(run.face)) doc.registerFont(run.face.name, run.face.bytes)
    registered.add(run.face)
    return doc.font(run.face.name).fontSize(size).widthOfString(run.text)
  }
  const measure = (text: string, { size, weight }: Style) =>
    runsOf(text, weight).reduce((width, run) => width + widthOf(run, size), 0)

  // pdfkit shapes text word by word, so the widths of the words add up to the width of their line.
  function wrapLine(line: string, style: Style, width: number): string[] {
    const lines: string[] = []
    let current = ''
    let room = width
    const add = (piece: string) => {
      if (measure(piece.trimEnd(), style) > room && current !== '') {
        lines.push(current.trimEnd())
        current = ''
        room = width
      }
      current += piece
      room -= measure(piece, style)
    }
    for (const word of wordsOf(line)) {
      if (measure(word.trimEnd(), style) <= width) add(word)
      else for (const character of charactersOf(word)) add(character)
    }
    return [...lines, current.trimEnd()]
  }

  return {
    hasReplacedOn: (page) => pagesWithReplacement.has(page),
    width: (text, style) => measure(showable(text), style),
    wrap: (text, style, width) =>
      showable(text)
        .split('\n')
        .flatMap((line) => {
          const lines = wrapLine(line, style, width)
          return isRightToLeft(line) ? lines.map((each) => RIGHT_TO_LEFT + each) : lines
        }),
    fit(text, style, width) {
      const line = showable(text).replaceAll('\n', ' ')
      if (measure(line, style) <= width) return line
      const characters = charactersOf(line)
      while (characters.length > 0 && measure(`${characters.join('')}…`, style) > width) characters.pop()
      return `${characters.join('').trimEnd()}…`
    },
    write(text, x, y, style, align = 'left') {
      const line = showable(text)
      if (line.includes(MISSING)) pagesWithReplacement.add(doc.page)
      const shown = line.replace(RIGHT_TO_LEFT, '')
      const shift = align === 'left' ? 0 : measure(shown, style) * (align === 'right' ? 1 : 0.5)
      let at = x - shift
      doc.fillColor(style.color)
      for (const run of inVisualOrder(line).flatMap((part) => runsOf(part, style.weight))) {
        const width = widthOf(run, style.size)
        doc.text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' })
        at += width
      }
    },
  }
}

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
