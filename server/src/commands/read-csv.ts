import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
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
  const { size } = await stat(file)
  const source = createReadStream(file)
  const lines = source.pipe(
    parse({
      bom: true,
      trim: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      skip_records_with_error: true,
      columns: (header: string[]) => {
        const missing = columns.filter((column) => !header.includes(column))
        if (missing.length > 0) throw new CommandError(`${file} has no column ${missing.join(', ')}`)
        return header
      },
      on_skip: (error) => {
        refuse(Number(error && 'lines' in error ? error.lines : 0), 'is not CSV')
        return undefined
      },
    }),
  )
  source.on('error', (error) => lines.destroy(error))
  for await (const each of lines) {
    const { record, info } = csvRecord.parse(each)
    yield { line: info.lines, record, progress: info.bytes / size }
  }
}
