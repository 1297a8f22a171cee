import Pdf from 'pdfkit'
import { encodeQR } from 'qr'
import { languages } from '../languages/index.ts'
import type { Words } from '../languages/words.ts'
import type { Report } from '../report.ts'
import { sealPlaceholder } from '../seal.ts'
import { REPLACEMENT, drawableText } from './fonts.ts'
import { LINE_HEIGHT, RULE_COLOR, styles } from './palette.ts'
import { tagFor } from './tag.ts'
import { createTypesetter } from './typesetting.ts'
import type { Style, Typesetter } from './typesetting.ts'

type Element = ReturnType<PDFKit.PDFDocument['struct']>
type ElementOptions = { alt?: string; title?: string; scope?: 'Column' | 'Row' }

export const CONTENT_AREA = { left: 51, right: 544.28, top: 70, bottom: 780 } as const
export const CONTENT_WIDTH = CONTENT_AREA.right - CONTENT_AREA.left

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
  /**
   * Opens a section with its title, on a page with room for the title and `height` points of content. `suffix` follows the title
   * of a section that goes on; the first one is in the outline.
   */
  section: (title: string, height: number, suffix?: string) => void
  /** The number of the page on which the section with this title begins; undefined if none was drawn so far. */
  pageOf: (title: string) => number | undefined
  /**
   * Leaves the last line of a page for a text that is known only when all sections are drawn; called outside of a section. A text
   * above others would be painted after those that are read after it.
   */
  postpone: (text: () => string, style: Style) => void
  /** Sets a paragraph at `y` and moves `y` below it, across pages if needed. */
  paragraph: (text: string, style?: Style, place?: { x?: number; width?: number; leading?: number }) => void
  /** Writes the header and footer of all pages and completes the document. */
  finish: (footer: string) => void
}

/** Starts a tagged PDF document for `report`, in its language. */
export function createSheet(report: Report, checkCode: string): Sheet {
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
  const { child, period, madeAt, timeZone } = report
  const identity = {
    child: child.name,
    ...period,
    made_at: new Date(madeAt).toISOString(),
    time_zone: timeZone,
  }
  Object.assign(doc.info, { CompanionSeal: sealPlaceholder(checkCode, identity) })
  const root = doc.struct('Document')
  doc.addStructure(root)
  const groups: Element[] = [root]
  const type = createTypesetter(doc)
  const pages = new Map<string, number>()
  const postponed: (() => void)[] = []

  const sheet: Sheet = {
    doc,
    type,
    words,
    report,
    y: 0,
    need(height) {
      if (sheet.y + height <= CONTENT_AREA.bottom) return false
      doc.addPage()
      sheet.y = CONTENT_AREA.top
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
    section(title, height, suffix = '') {
      sheet.y += 1.5 * LINE_HEIGHT
      sheet.need(2.5 * LINE_HEIGHT + height)
      sheet.open('Sect')
      if (sheet.y === CONTENT_AREA.top) {
        // The running head already has a rule.
        sheet.y -= LINE_HEIGHT
      } else {
        sheet.decorate(() => {
          doc
            .moveTo(CONTENT_AREA.left, sheet.y)
            .lineTo(CONTENT_AREA.right, sheet.y)
            .lineWidth(0.5)
            .stroke(RULE_COLOR)
        })
      }
      if (!pages.has(title)) {
        pages.set(title, doc.bufferedPageRange().count)
        doc.outline.addItem(title)
      }
      sheet.tag('H2', () =>
        type.write(title + suffix, CONTENT_AREA.left, sheet.y + 1.5 * LINE_HEIGHT, styles.heading),
      )
      sheet.y += 2.5 * LINE_HEIGHT
    },
    pageOf: (title) => pages.get(title),
    postpone(text, style) {
      sheet.need(LINE_HEIGHT)
      const element = doc.struct('P')
      root.add(element)
      const page = doc.bufferedPageRange().count - 1
      const baseline = sheet.y + 0.75 * LINE_HEIGHT
      sheet.y += LINE_HEIGHT
      postponed.push(() => {
        doc.switchToPage(page)
        const tag = tagFor(doc, 'P', element)
        type.begin(tag)
        type.write(type.fit(text(), style, CONTENT_WIDTH), CONTENT_AREA.left, baseline, style)
        tag.endContent()
        type.begin()
        element.end()
      })
    },
    paragraph(
      text,
      style = styles.body,
      { x = CONTENT_AREA.left, width = CONTENT_WIDTH, leading = LINE_HEIGHT } = {},
    ) {
      const lines = type.wrap(text, style, width)
      const paragraph = doc.struct('P')
      groups.at(-1)?.add(paragraph)
      const tag = tagFor(doc, 'P', paragraph)
      type.begin(tag)
      while (lines.length > 0) {
        sheet.need(leading)
        const room = Math.max(1, Math.floor((CONTENT_AREA.bottom - sheet.y) / leading))
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
      for (const write of postponed) write()
      const { start, count } = doc.bufferedPageRange()
      const address = report.verifyAddress
      const qr = qrCode(doc, address)
      for (let page = start; page < start + count; page++) {
        doc.switchToPage(page)
        sheet.decorate(() =>
          runningText(sheet, { footer, code: checkCode, qr, address }, page - start + 1, count),
        )
      }
      root.end()
      doc.end()
    },
  }
  doc.addPage()
  sheet.y = CONTENT_AREA.top
  return sheet
}

/** pdfkit writes the title into XML unescaped, so characters special to XML are replaced by similar ones. */
const plain = (text: string) =>
  drawableText(text).replaceAll(
    /[\n<>&]/g,
    (sign) => ({ '\n': ' ', '<': '‹', '>': '›', '&': '＆' })[sign] ?? sign,
  )

/** Of about 0.35 mm a module for an address of 50 characters, which a phone reads from paper. */
const QR_SIZE = 31

/**
 * Adds a QR code of `text` (ISO/IEC 18004) to the document: a form that all pages share, one unit for each module, with a rectangle
 * for each row of dark modules.
 */
function qrCode(doc: PDFKit.PDFDocument, text: string): QrCode {
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: 1 }).slice(1, -1)
  const rows = modules.flatMap((row, index) => {
    const signs = row.slice(1, -1).map((isDark) => (isDark ? '1' : '0'))
    return [...signs.join('').matchAll(/1+/g)].map(
      ({ 0: run, index: from }) => `${from} ${modules.length - 1 - index} ${run.length} 1 re`,
    )
  })
  const form = doc.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, 0, modules.length, modules.length],
    Resources: {},
  })
  form.end(Buffer.from(`0 g\n${rows.join('\n')}\nf`))
  return { form, modules: modules.length }
}

interface QrCode {
  form: PDFKit.PDFKitReference
  modules: number
}

/** Draws the code with its upper left corner at `x`, `y`. */
function drawQrCode(doc: PDFKit.PDFDocument, { form, modules }: QrCode, x: number, y: number): void {
  doc.page.xobjects['Qr'] = form
  const scale = QR_SIZE / modules
  // The page has its origin above, the form below.
  doc
    .save()
    .transform(scale, 0, 0, -scale, x, y + QR_SIZE)
    .addContent('/Qr Do')
    .restore()
}

interface RunningText {
  footer: string
  code: string
  /** Where the report can be verified, and its QR code. */
  address: string
  qr: QrCode
}

function runningText(
  { doc, type, words, report }: Sheet,
  { footer, code, address, qr }: RunningText,
  page: number,
  pages: number,
): void {
  const { left, right } = CONTENT_AREA
  if (page > 1) {
    const period = words.range(report.period.first, report.period.last)
    const room = CONTENT_WIDTH - type.width(period, styles.running) - 2 * LINE_HEIGHT
    const title = type.fit(words.documentTitle(report.child.name), styles.running, room)
    type.write(title, left, 42, styles.running)
    type.write(period, right, 42, styles.running, 'right')
    doc.moveTo(left, 49).lineTo(right, 49).lineWidth(0.5).stroke(RULE_COLOR)
  }
  if (type.hasReplacedOn(doc.page))
    type.write(words.replaced(REPLACEMENT), left + QR_SIZE + 8, 791, styles.running)
  // The code needs an empty margin of four modules.
  const beside = left + QR_SIZE + 8
  drawQrCode(doc, qr, left, 798)
  doc.moveTo(beside, 797).lineTo(right, 797).lineWidth(0.5).stroke(RULE_COLOR)
  type.write(footer, beside, 811, styles.running)
  type.write(words.page(page, pages), right, 811, styles.running, 'right')
  const check = words.checkCode(code, address)
  type.write(check, beside, 822, type.shrink(check, styles.running, right - beside))
}
