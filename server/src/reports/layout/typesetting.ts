import type { Weight } from './fonts.ts'
import { charactersOf, faces, REPLACEMENT, runsOf, showable } from './fonts.ts'

export interface Style {
  size: number
  weight: Weight
  color: string
}

export interface Typesetter {
  /** Whether any text so far contained a character that no font can show. */
  hasReplaced: () => boolean
  width: (text: string, style: Style) => number
  /**
   * Breaks `text` into lines of at most `width` at spaces and hyphens, and within a word only if it is wider than a
   * line.
   */
  wrap: (text: string, style: Style, width: number) => string[]
  /** Shortens `text` with an ellipsis if it is wider than `width`. */
  fit: (text: string, style: Style, width: number) => string
  /** Writes one line on the baseline `y`. */
  write: (text: string, x: number, y: number, style: Style, align?: 'left' | 'center' | 'right') => void
}

/** Registers the fonts with `doc` and returns its typesetter; all lengths are in points. */
export function createTypesetter(doc: PDFKit.PDFDocument): Typesetter {
  for (const { name, bytes } of Object.values(faces).flat()) doc.registerFont(name, bytes)
  let hasReplaced = false

  const shown = (text: string) => {
    const result = showable(text)
    hasReplaced ||= result.includes(REPLACEMENT) && !text.includes(REPLACEMENT)
    return result
  }
  const measure = (text: string, { size, weight }: Style) =>
    runsOf(text, weight).reduce(
      (width, run) => width + doc.font(run.face.name).fontSize(size).widthOfString(run.text),
      0,
    )

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
    for (const word of line.split(/(?<=[ -])/)) {
      if (measure(word.trimEnd(), style) <= width) add(word)
      else for (const character of charactersOf(word)) add(character)
    }
    return [...lines, current.trimEnd()]
  }

  return {
    hasReplaced: () => hasReplaced,
    width: (text, style) => measure(shown(text), style),
    wrap: (text, style, width) =>
      shown(text)
        .split('\n')
        .flatMap((line) => wrapLine(line, style, width)),
    fit(text, style, width) {
      const line = shown(text).replaceAll('\n', ' ')
      if (measure(line, style) <= width) return line
      const characters = charactersOf(line)
      while (characters.length > 0 && measure(`${characters.join('')}…`, style) > width) characters.pop()
      return `${characters.join('').trimEnd()}…`
    },
    write(text, x, y, style, align = 'left') {
      const line = shown(text)
      const shift = align === 'left' ? 0 : measure(line, style) * (align === 'right' ? 1 : 0.5)
      let at = x - shift
      doc.fillColor(style.color)
      for (const run of runsOf(line, style.weight)) {
        doc.font(run.face.name).fontSize(style.size)
        doc.text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' })
        at += doc.widthOfString(run.text)
      }
    },
  }
}
