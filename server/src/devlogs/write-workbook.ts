import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { PageSetup, stream, Style, Worksheet } from 'exceljs'
import { reply } from '../threads/reply.ts'
import { wholeMinutes } from '../time/whole-minutes.ts'
import { FINISH_FLAG_MEANINGS } from './finish-flags.ts'

/*
 * The thread that writes workbooks, one at a time. It loads as little as it can, of exceljs its writer alone: what a
 * thread loads, it holds once more.
 */

const WorkbookWriter: typeof stream.xlsx.WorkbookWriter = createRequire(import.meta.url)(
  'exceljs/lib/stream/xlsx/workbook-writer.js',
)

/** What the head of each sheet says of the file. */
export interface WorkbookHead {
  serialCode: string
  uniqueId: string
  /** The initials of the child who wears the device. */
  child: string
  first: string
  last: string
}

/** The messages to the thread; it answers each when it is ready for the next. */
export type WorkbookRequest =
  /** The descriptor stays the sender's, who may close it after the response to `close`. */
  | { order: 'open'; descriptor: number; about: WorkbookHead }
  /** Lines of tab-separated values as `EXPORTED` selects them. The first pass gives treatments, the second intensities. */
  | { order: 'rows'; pass: 1 | 2; lines: string }
  | { order: 'close' }

const MINUTES_PER_INTENSITY = 6
/** The rows above the data: the title, what the file is about, and two with the names of the columns. */
const HEAD = 6
/** A sheet has 1,048,576 rows. */
const MOST_ROWS = 1_048_576 - HEAD

/** More are a block of memory that is never given back; waiting more often takes longer. */
const ROWS_UNTIL_DRAINED = 100

interface Column {
  /** In English and Korean. */
  labels: readonly [string, string]
  meaning: string
  /** In characters. */
  width: number
  /** All others hold numbers and dates, which stand on the right. */
  isText?: true
}

const DATE: Partial<Style> = { numFmt: 'yyyy-mm-dd hh:mm:ss' }
const HOURS: Partial<Style> = { numFmt: '[h]:mm' }
const BOLD: Partial<Style> = { font: { bold: true }, alignment: { vertical: 'bottom', wrapText: true } }
const LABEL: Partial<Style> = { ...BOLD, alignment: { ...BOLD.alignment, horizontal: 'right' } }
/** Text would touch the number before it. */
const TEXT: Partial<Style> = { alignment: { horizontal: 'left', indent: 1 } }
const TEXT_LABEL: Partial<Style> = { ...BOLD, alignment: { ...BOLD.alignment, ...TEXT.alignment } }
/** The button of the filter stands on the right, too. */
const NAME: Partial<Style> = { ...LABEL, alignment: { ...LABEL.alignment, indent: 2 } }
const MINUTES: Partial<Style> = { ...TEXT, font: { bold: true } }
const TITLE: Partial<Style> = { font: { bold: true, size: 14 } }

const TREATMENTS: Record<string, Column> = {
  treatment_date: {
    labels: ['Start', '시작'],
    meaning: "Start of the treatment by the device's own clock, to the second",
    width: 20,
  },
  treatment_time: { labels: ['Seconds', '초'], meaning: 'Length of the treatment in seconds', width: 20 },
  treatment_time_hours: {
    labels: ['Hours', '시:분'],
    meaning: 'The same as hours and whole minutes',
    width: 26,
  },
  last_intensity: {
    labels: ['Last intensity', '마지막 강도'],
    meaning: 'The last intensity that was used',
    width: 20,
  },
  movement: { labels: ['Movement', '움직임'], meaning: 'Movement as the device counted it', width: 14 },
  finish_flag: { labels: ['End', '종료'], meaning: 'Why the treatment ended, 1 to 6', width: 17 },
  finish_meaning: {
    labels: ['End in words', '종료 사유'],
    meaning: 'The same in words; empty while the last log is missing',
    width: 26,
    isText: true,
  },
  is_temp: {
    labels: ['Last log missing', '마지막 기록 없음'],
    meaning:
      '1: the device sent this record during the treatment, and its last log has not arrived; 0: complete',
    width: 18,
  },
  log_file_id: {
    labels: ['Log file', '로그 번호'],
    meaning: "The device's own number of the log file",
    width: 18,
  },
}

const INTENSITIES = Object.entries(TREATMENTS).filter(([name]) =>
  ['treatment_date', 'log_file_id'].includes(name),
)

/** The paper is the one in the reader's printer. */
const PAGE: Partial<PageSetup> = {
  orientation: 'landscape',
  fitToPage: true,
  fitToWidth: 1,
  fitToHeight: 0,
}

const MINUTES_LABEL = 'Intensity so many minutes after the start · 시작 후 분별 강도'

const isFinishFlag = (value: number): value is keyof typeof FINISH_FLAG_MEANINGS =>
  value in FINISH_FLAG_MEANINGS

class DevlogWorkbook {
  readonly #book: stream.xlsx.WorkbookWriter
  readonly #about: WorkbookHead
  #sheet: Worksheet | undefined
  #pass = 0
  #rows = 0
  #sheets = 0
  #mostIntensities = 0
  readonly #styles: { date: number; hours: number; text: number }

  constructor(descriptor: number, about: WorkbookHead) {
    this.#about = about
    this.#book = new WorkbookWriter({
      stream: writerTo(descriptor),
      zip: { zlib: { level: 1 } },
      useStyles: true,
    })
    this.#book.creator = 'Companion'
    // Public in exceljs, but not in its types.
    const { styles }: { styles?: { addStyleModel(style: Partial<Style>): number } } = Object(this.#book)
    const style = (model: Partial<Style>) => styles?.addStyleModel(model) ?? 0
    this.#styles = { date: style(DATE), hours: style(HOURS), text: style(TEXT) }
  }

  async rows(pass: 1 | 2, lines: string): Promise<void> {
    const all = lines.split('\n')
    for (let first = 0; first < all.length; first += ROWS_UNTIL_DRAINED) {
      await drained(this.#sheet)
      let text = ''
      for (const line of all.slice(first, first + ROWS_UNTIL_DRAINED)) {
        // The rows before the first of a new sheet belong to the last one.
        if (!this.#hasRoom(pass)) {
          this.#write(text)
          text = ''
          this.#open(pass)
        }
        this.#rows += 1
        text += pass === 1 ? this.#treatment(line.split('\t')) : this.#intensities(line.split('\t'))
      }
      this.#write(text)
    }
  }

  #treatment([
    date = '',
    time = '',
    intensity = '',
    movement = '',
    flag = '',
    temporary = '',
    file = '',
    record = '',
  ]: string[]) {
    const count = record === '' ? 0 : record.split(',').length
    this.#mostIntensities = Math.max(this.#mostIntensities, count)
    const finish = Number(flag)
    const meaning = isFinishFlag(finish) && temporary === '0' ? FINISH_FLAG_MEANINGS[finish] : ''
    // Some programs would round the seconds that do not show.
    const hours = (60 * wholeMinutes(Number(time))) / SECONDS_PER_DAY
    return this.#row([
      ` s="${this.#styles.date}"><v>${serialOf(date)}`,
      `><v>${time}`,
      ` s="${this.#styles.hours}"><v>${hours}`,
      `><v>${intensity}`,
      `><v>${movement}`,
      `><v>${flag}`,
      ` s="${this.#styles.text}" t="str"><v>${meaning}`,
      `><v>${temporary}`,
      `><v>${file}`,
    ])
  }

  #intensities([date = '', , , , , , file = '', record = '']: string[]) {
    const intensities = record === '' ? [] : record.split(',')
    return this.#row([
      ` s="${this.#styles.date}"><v>${serialOf(date)}`,
      `><v>${file}`,
      ...intensities.map((intensity) => `><v>${intensity}`),
    ])
  }

  /** A row of cells, each without its beginning and end. Its values are numbers and our own texts: nothing to escape. */
  #row(cells: readonly string[]): string {
    const row = HEAD + this.#rows
    return `<row r="${row}">${cells.map((cell, column) => `<c r="${LETTERS[column]}${row}"${cell}</v></c>`).join('')}</row>`
  }

  /** exceljs would take twice the time for cells with styles. */
  #write(rows: string): void {
    const { stream }: { stream?: Writable } = Object(this.#sheet)
    if (rows !== '') stream?.write(rows)
  }

  async close(): Promise<void> {
    // A device whose records are all temporary or empty still has its intensity sheet.
    if (!this.#hasRoom(2)) this.#open(2)
    this.#commit()
    const sheet = this.#book.addWorksheet('Columns', { pageSetup: PAGE })
    sheet.columns = [{ width: 14 }, { width: 24 }, { width: 18 }, { width: 18 }, { width: 80 }]
    const head = sheet.addRow(['sheet', 'column', 'English', '한국어', 'meaning'])
    head.eachCell((cell) => (cell.style = BOLD))
    head.commit()
    for (const [name, { labels, meaning }] of Object.entries(TREATMENTS)) {
      sheet.addRow(['Treatments', name, ...labels, meaning]).commit()
    }
    for (const name of ['treatment_date', 'log_file_id']) {
      const { labels = [], meaning } = TREATMENTS[name] ?? {}
      sheet.addRow(['Intensities', name, ...labels, meaning]).commit()
    }
    const grid = `The intensity so many minutes after the start: one value every ${MINUTES_PER_INTENSITY} minutes`
    sheet.addRow(['Intensities', `0, ${MINUTES_PER_INTENSITY}, …`, 'Minutes', '분', grid]).commit()
    const { serialCode, uniqueId, child, first, last } = this.#about
    const file = { serial_code: serialCode, unique_id: uniqueId, child, start_date: first, end_date: last }
    for (const [name, value] of Object.entries(file)) sheet.addRow(['File', name, '', '', value]).commit()
    sheet.commit()
    await this.#book.commit()
  }

  #hasRoom(pass: 1 | 2): boolean {
    return this.#sheet !== undefined && this.#pass === pass && this.#rows < MOST_ROWS
  }

  /** Opens the next sheet of a pass and writes its head. */
  #open(pass: 1 | 2): void {
    this.#commit()
    this.#sheets = this.#pass === pass ? this.#sheets + 1 : 1
    this.#pass = pass
    this.#rows = 0
    const name = pass === 1 ? 'Treatments' : 'Intensities'
    const sheet = this.#book.addWorksheet(this.#sheets === 1 ? name : `${name} ${this.#sheets}`, {
      views: [{ state: 'frozen', xSplit: 1, ySplit: HEAD }],
      // The intensities of a night take two pages side by side.
      pageSetup: { ...PAGE, fitToWidth: pass === 1 ? 1 : 2, printTitlesRow: `${HEAD - 1}:${HEAD}` },
    })
    const minutes = Array.from({ length: this.#mostIntensities }, (_, n) => n * MINUTES_PER_INTENSITY)
    const columns = pass === 1 ? Object.entries(TREATMENTS) : INTENSITIES
    sheet.columns = [
      ...columns.map(([, { width }]) => ({ width })),
      ...(pass === 1 ? [] : minutes.map(() => ({ width: 4.5 }))),
    ]
    const { serialCode, uniqueId, child, first, last } = this.#about
    this.#head(sheet, [pass === 1 ? 'Treatments · 사용 기록' : 'Intensities · 강도 기록'], TITLE)
    this.#head(sheet, [`Device 기기: ${serialCode} (${uniqueId})`])
    this.#head(sheet, [`Child 아이: ${child}`])
    this.#head(sheet, [`Period 기간: ${first} – ${last}`])
    const labels = columns.map(([, column]) => column.labels.join('\n'))
    const styles = (style: Partial<Style>) => columns.map(([, { isText }]) => (isText ? TEXT_LABEL : style))
    const grid = pass === 1 ? [] : minutes
    this.#head(sheet, [...labels, ...(grid.length > 0 ? [MINUTES_LABEL] : [])], MINUTES, styles(LABEL))
    this.#head(sheet, [...columns.map(([column]) => column), ...grid], BOLD, styles(NAME))
    this.#sheet = sheet
  }

  #head(
    sheet: Worksheet,
    values: (string | number)[],
    style: Partial<Style> = {},
    first: Partial<Style>[] = [],
  ): void {
    const row = sheet.addRow(values)
    row.eachCell((cell, column) => (cell.style = first[column - 1] ?? style))
    // Spreadsheet programs do not find the height of two lines by themselves.
    if (values.some((value) => String(value).includes('\n'))) row.height = 30
    row.commit()
  }

  #commit(): void {
    if (!this.#sheet) return
    const columns = this.#pass === 1 ? Object.keys(TREATMENTS).length : INTENSITIES.length
    this.#sheet.autoFilter = {
      from: { row: HEAD, column: 1 },
      to: { row: HEAD + this.#rows, column: columns },
    }
    this.#sheet.commit()
    this.#sheet = undefined
  }
}

/** The letters of a column, counted from 0: A to Z, AA to AZ, and so on. */
const letters = (column: number): string =>
  (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

const LETTERS = Array.from({ length: 300 }, (_, column) => letters(column))

const SECONDS_PER_DAY = 86_400
/** The days from the first of a spreadsheet's calendar to 1970. */
const DAYS_TO_1970 = 25_569

/**
 * A date and time as a spreadsheet keeps it: days. Fractions of a second are left out: rounded for display, they would
 * move the last moment of a day to the next one.
 */
const serialOf = (date: string) => Date.parse(`${date.slice(0, 19)}Z`) / 1000 / SECONDS_PER_DAY + DAYS_TO_1970

/**
 * exceljs takes all that it is given: waiting for the stream behind it is what keeps memory constant. That stream is of
 * an older kind than Node's, which shows its state in this place only.
 */
async function drained(sheet: Worksheet | undefined): Promise<void> {
  await turn()
  const { stream }: { stream?: { pipes?: (Writable & { _writableState: { needDrain: boolean } })[] } } =
    Object(sheet)
  for (const pipe of stream?.pipes ?? []) if (pipe['_writableState'].needDrain) await once(pipe, 'drain')
}

let workbook: DevlogWorkbook | undefined

parentPort?.on('message', (order: WorkbookRequest) => reply(obey(order)))

async function obey(order: WorkbookRequest): Promise<void> {
  if (order.order === 'open') workbook = new DevlogWorkbook(order.descriptor, order.about)
  else if (order.order === 'rows') await workbook?.rows(order.pass, order.lines)
  else await workbook?.close()
}

/**
 * Writes to a descriptor that is the sender's. A stream of `node:fs` would close it when it is destroyed, whatever its
 * `autoClose` says, and with it the file that has got the same number since.
 */
function writerTo(descriptor: number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
}
