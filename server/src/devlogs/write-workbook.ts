import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { stream, Worksheet } from 'exceljs'
import { answer } from '../threads/answer.ts'
import { FINISH_FLAGS } from './finish-flags.ts'

/*
 * The thread that writes workbooks, one at a time. It loads as little as it can, of exceljs its writer alone: what a
 * thread loads, it holds once more.
 */

const WorkbookWriter: typeof stream.xlsx.WorkbookWriter = createRequire(import.meta.url)(
  'exceljs/lib/stream/xlsx/workbook-writer.js',
)

/** The messages to the thread; it answers each when it is ready for the next. */
export type Order =
  /** The descriptor stays the sender's, who may close it after the answer to `close`. */
  | { order: 'open'; descriptor: number }
  /** Lines of tab-separated values as `EXPORTED` selects them. The first pass gives treatments, the second intensities. */
  | { order: 'rows'; pass: 1 | 2; lines: string }
  | { order: 'close'; about: [name: string, value: string][] }

const MINUTES_PER_INTENSITY = 6
/** A sheet has 1,048,576 rows, one of them the header. */
const MOST_ROWS = 1_048_575

/** More are a block of memory that is never given back; waiting more often takes longer. */
const ROWS_UNTIL_DRAINED = 100

const TREATMENTS = {
  treatment_date: "Start of the treatment by the device's own clock, ISO 8601 without zone",
  treatment_time: 'Length of the treatment in seconds',
  last_intensity: 'The last intensity that was used',
  movement: 'Movement as the device counted it',
  finish_flag: 'Why the treatment ended, 1 to 6',
  finish_meaning: 'The same in words',
  is_temp: '1: the treatment still ran when the device sent this record; 0: it had ended',
  log_file_id: "The device's own number of the log file",
}

const isFinishFlag = (value: number): value is keyof typeof FINISH_FLAGS => value in FINISH_FLAGS

class DevlogWorkbook {
  readonly #book: stream.xlsx.WorkbookWriter
  #sheet: Worksheet | undefined
  #pass = 0
  #rows = 0
  #sheets = 0
  #mostIntensities = 0

  constructor(descriptor: number) {
    this.#book = new WorkbookWriter({
      stream: createWriteStream('', { fd: descriptor, autoClose: false }),
      zip: { zlib: { level: 1 } },
    })
  }

  async rows(pass: 1 | 2, lines: string): Promise<void> {
    for (const [index, line] of lines.split('\n').entries()) {
      if (index % ROWS_UNTIL_DRAINED === 0) await drained(this.#sheet)
      const [date = '', time, intensity, movement, flag, temporary, file = '', record = ''] = line.split('\t')
      const sheet = this.#sheetOf(pass)
      const intensities = record === '' ? [] : record.split(',')
      if (pass === 1) {
        this.#mostIntensities = Math.max(this.#mostIntensities, intensities.length)
        const finish = Number(flag)
        const meaning = isFinishFlag(finish) ? FINISH_FLAGS[finish] : ''
        const numbers = [Number(time), Number(intensity), Number(movement), finish]
        sheet.addRow([date, ...numbers, meaning, Number(temporary), file]).commit()
      } else sheet.addRow([date, file, ...intensities.map(Number)]).commit()
    }
  }

  async close(about: [string, string][]): Promise<void> {
    // A device whose records are all temporary or empty still has its intensity sheet.
    this.#sheetOf(2).commit()
    const sheet = this.#book.addWorksheet('Columns')
    sheet.addRow(['sheet', 'column', 'meaning']).commit()
    for (const [column, meaning] of Object.entries(TREATMENTS)) {
      sheet.addRow(['Treatments', column, meaning]).commit()
    }
    sheet.addRow(['Intensities', 'treatment_date', TREATMENTS.treatment_date]).commit()
    sheet.addRow(['Intensities', 'log_file_id', TREATMENTS.log_file_id]).commit()
    const grid = `The intensity so many minutes after the start: one value every ${MINUTES_PER_INTENSITY} minutes`
    sheet.addRow(['Intensities', `0, ${MINUTES_PER_INTENSITY}, …`, grid]).commit()
    for (const [name, value] of about) sheet.addRow(['File', name, value]).commit()
    sheet.commit()
    await this.#book.commit()
  }

  /** The sheet that the next row goes to; a new one when the pass changes or a sheet is full. */
  #sheetOf(pass: 1 | 2): Worksheet {
    if (this.#sheet && this.#pass === pass && this.#rows < MOST_ROWS) {
      this.#rows += 1
      return this.#sheet
    }
    this.#sheet?.commit()
    this.#sheets = this.#pass === pass ? this.#sheets + 1 : 1
    this.#pass = pass
    this.#rows = 1
    const name = pass === 1 ? 'Treatments' : 'Intensities'
    const sheet = this.#book.addWorksheet(this.#sheets === 1 ? name : `${name} ${this.#sheets}`, {
      views: [{ state: 'frozen', ySplit: 1 }],
    })
    const minutes = Array.from({ length: this.#mostIntensities }, (_, n) => n * MINUTES_PER_INTENSITY)
    sheet
      .addRow(pass === 1 ? Object.keys(TREATMENTS) : ['treatment_date', 'log_file_id', ...minutes])
      .commit()
    this.#sheet = sheet
    return sheet
  }
}

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

parentPort?.on('message', (order: Order) => answer(obey(order)))

async function obey(order: Order): Promise<void> {
  if (order.order === 'open') workbook = new DevlogWorkbook(order.descriptor)
  else if (order.order === 'rows') await workbook?.rows(order.pass, order.lines)
  else await workbook?.close(order.about)
}
