import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { CommandError } from './program.ts'

export interface CsvLine {
  line: number
  record: Record<string, string>
  /** The share of the file up to the end of this record, from 0 to 1. */
  progress: number
}

/** A CSV record and where it ends, as csv-parse yields them with its `info` option. */
const csvRecord = z.object({
  record: z.record(z.string(), z.string()),
  info: z.object({ lines: z.number(), bytes: z.number() }),
})

/**
 * Streams the records of a CSV file of any length. Calls `refuse` for each line that is not CSV. Throws the error of
 * the file system if the file cannot be read, and `CommandError` if its header lacks one of `columns`.
 */
export async function* readCsv(
  file: string,
  columns: readonly string[],
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<CsvLine> {
  const info = await stat(file)
  const { size } = info
  // All of it before anything is taken, unless it is a pipe.
  if (info.isFile()) await text(Readable.from(utf8Lines(file)).map(() => ''))
  let isHeaded = false
  /** The line in which the last record, or the header, has ended. */
  let ended = 1
  const source = Readable.from(utf8Lines(file))
  const lines = source.pipe(
    parse({
      bom: true,
      trim: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      skip_records_with_error: true,
      columns: (header: string[]) => {
        isHeaded = true
        const missing = columns.filter((column) => !header.includes(column))
        if (missing.length > 0) throw new CommandError(`${file} has no column ${missing.join(', ')}`)
        return header
      },
      on_record: (each: unknown, { lines: line }) => {
        ended = line
        return each
      },
      on_skip: (error) => {
        // Where a quote stays open, the parser tells the last line of the file.
        const isOpen = error?.code === 'CSV_QUOTE_NOT_CLOSED'
        const line = isOpen ? ended + 1 : Number(error && 'lines' in error ? error.lines : 0)
        ended = line
        refuse(line, isOpen ? 'opens a quote that nothing closes' : 'is not CSV')
        return undefined
      },
    }),
  )
  source.on('error', (error) => lines.destroy(error))
  for await (const each of lines) {
    const { record, info } = csvRecord.parse(each)
    yield { line: info.lines, record, progress: info.bytes / size }
  }
  if (!isHeaded) throw new CommandError(`${file} is empty`)
}

const LINE_FEED = 10

/** The bytes of a file, by whole lines. Throws `CommandError` with the number of the first line that is not UTF-8. */
async function* utf8Lines(file: string): AsyncGenerator<Buffer> {
  let line = 0
  const checked = (lines: Buffer): Buffer => {
    for (let start = 0; start < lines.length;) {
      const end = lines.indexOf(LINE_FEED, start) + 1 || lines.length
      line += 1
      if (!isUtf8(lines.subarray(start, end)))
        throw new CommandError(`${file} is not UTF-8 in line ${line}; nothing was taken`)
      start = end
    }
    return lines
  }
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file)) {
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    rest = bytes.subarray(end)
    if (end > 0) yield checked(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield checked(rest)
}
