import Pdf from 'pdfkit'
import { languages } from '../languages/index.ts'
import type { Words } from '../languages/words.ts'
import type { Report } from '../report.ts'
import { sealPlace } from '../seal.ts'
import { REPLACEMENT, drawableText } from './fonts.ts'
import { LINE, RULE, styles } from './palette.ts'
import { tagFor } from './tag.ts'
import { createTypesetter } from './typesetting.ts'
import type { Style, Typesetter } from './typesetting.ts'

type Element = ReturnType<PDFKit.PDFDocument['struct']>
type ElementOptions = { alt?: string; title?: string; scope?: 'Column' | 'Row' }

export const PAGE = { left: 51, right: 544.28, top: 70, bottom: 780 } as const
export const WIDTH = PAGE.right - PAGE.left

/** The page in progress: the position of the next element, and methods to add text, tags and decoration. */
export interface Sheet {
  doc: PDFKit.PDFDocument
  type: Typesetter
  words: Words
  report: Report
  /** The top of the next element, in points from the top of the page. */
  y: number
  /** Starts a new page if `height` points do not fit on this one. Returns whether it did. */
  need: (height: number) => boolean
  /** Draws decoration, such as a rule, which screen readers skip. */
  decorate: (draw: () => void) => void
  /** Opens a group of the document's structure; elements tagged before `close` belong to it. */
  open: (kind: string) => void
  close: () => void
  /** Draws one element of the document's structure. */
  tag: (kind: string, draw: () => void, options?: ElementOptions) => void
  /** Opens a section with its title, on a page with room for the title and `height` points of content. */
  section: (title: string, height: number) => void
  /** Sets a paragraph at `y` and moves `y` below it, across pages if needed. */
  paragraph: (text: string, style?: Style, place?: { x?: number; width?: number; leading?: number }) => void
  /** Writes the header and footer of all pages and completes the document. */
  finish: (footer: string) => void
}

/** Starts a tagged PDF document for `report`, in its language. */
export function createSheet(report: Report, code: string): Sheet {
  const words = languages[report.language]
  const doc = new Pdf({
    autoFirstPage: false,
    bufferPages: true,
    size: 'A4',
    margin: 0,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: words.tag,
    displayTitle: true,
    info: {
      Title: plain(words.documentTitle(report.child.name)),
      Author: 'Companion',
      Creator: 'Companion',
      CreationDate: new Date(report.madeAt),
      ModDate: new Date(report.madeAt),
    },
  })
  Object.assign(doc.info, { CompanionSeal: sealPlace(code) })
  const root = doc.struct('Document')
  doc.addStructure(root)
  const groups: Element[] = [root]
  const type = createTypesetter(doc)

  const sheet: Sheet = {
    doc,
    type,
    words,
    report,
    y: 0,
    need(height) {
      if (sheet.y + height <= PAGE.bottom) return false
      doc.addPage()
      sheet.y = PAGE.top
      return true
    },
    decorate(draw) {
      doc.markContent('Artifact', { type: 'Layout' })
      type.begin()
      draw()
      doc.endMarkedContent()
    },
    open(kind) {
      const group = doc.struct(kind)
      groups.at(-1)?.add(group)
      groups.push(group)
    },
    close() {
      groups.pop()?.end()
    },
    tag(kind, draw, options = {}) {
      const element = doc.struct(kind, options)
      groups.at(-1)?.add(element)
      const tag = tagFor(doc, kind, element)
      // Lines and areas of a figure are contents, too.
      if (options.alt !== undefined) tag.add(() => undefined)
      type.begin(tag)
      draw()
      tag.endContent()
      type.begin()
      element.end()
    },
    section(title, height) {
      sheet.y += 1.5 * LINE
      sheet.need(2.5 * LINE + height)
      sheet.open('Sect')
      if (sheet.y === PAGE.top) {
        // The running head already has a rule.
        sheet.y -= LINE
      } else {
        sheet.decorate(() => {
          doc.moveTo(PAGE.left, sheet.y).lineTo(PAGE.right, sheet.y).lineWidth(0.5).stroke(RULE)
        })
      }
      doc.outline.addItem(title)
      sheet.tag('H2', () => type.write(title, PAGE.left, sheet.y + 1.5 * LINE, styles.heading))
      sheet.y += 2.5 * LINE
    },
    paragraph(text, style = styles.body, { x = PAGE.left, width = WIDTH, leading = LINE } = {}) {
      const lines = type.wrap(text, style, width)
      const paragraph = doc.struct('P')
      groups.at(-1)?.add(paragraph)
      const tag = tagFor(doc, 'P', paragraph)
      type.begin(tag)
      while (lines.length > 0) {
        sheet.need(leading)
        const room = Math.max(1, Math.floor((PAGE.bottom - sheet.y) / leading))
        const chunk = lines.splice(0, room)
        const top = sheet.y
        for (const [index, line] of chunk.entries())
          type.write(line, x, top + (index + 0.75) * leading, style)
        tag.endContent()
        sheet.y += chunk.length * leading
      }
      type.begin()
      paragraph.end()
    },
    finish(footer) {
      const { start, count } = doc.bufferedPageRange()
      for (let page = start; page < start + count; page++) {
        doc.switchToPage(page)
        sheet.decorate(() => runningText(sheet, { footer, code }, page - start + 1, count))
      }
      root.end()
      doc.end()
    },
  }
  doc.addPage()
  sheet.y = PAGE.top
  return sheet
}

/** pdfkit writes the title into XML unescaped, so characters special to XML are replaced by similar ones. */
const plain = (text: string) =>
  drawableText(text).replaceAll(
    /[\n<>&]/g,
    (sign) => ({ '\n': ' ', '<': '‹', '>': '›', '&': '＆' })[sign] ?? sign,
  )

function runningText(
  { doc, type, words, report }: Sheet,
  { footer, code }: { footer: string; code: string },
  page: number,
  pages: number,
): void {
  const { left, right } = PAGE
  if (page > 1) {
    const period = words.range(report.period.first, report.period.last)
    const room = WIDTH - type.width(period, styles.running) - 2 * LINE
    const title = type.fit(words.documentTitle(report.child.name), styles.running, room)
    type.write(title, left, 42, styles.running)
    type.write(period, right, 42, styles.running, 'right')
    doc.moveTo(left, 49).lineTo(right, 49).lineWidth(0.5).stroke(RULE)
  }
  if (type.hasReplacedOn(doc.page)) type.write(words.replaced(REPLACEMENT), left, 791, styles.running)
  doc.moveTo(left, 797).lineTo(right, 797).lineWidth(0.5).stroke(RULE)
  type.write(footer, left, 811, styles.running)
  type.write(words.page(page, pages), right, 811, styles.running, 'right')
  type.write(words.checkCode(code), left, 822, styles.running)
}
