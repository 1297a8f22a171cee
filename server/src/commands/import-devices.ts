import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { SingleBar } from 'cli-progress'
import { parse } from 'csv-parse'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import { registerDevices, registration } from '../devices/register.ts'
import type { Registration } from '../devices/register.ts'
import { CommandError } from './program.ts'

const LINES_AT_ONCE = 1000
const columns = ['serial_code', 'mac_id', 'unique_id']

export interface BadLine {
  line: number
  reason: string
}

export interface ImportResult {
  added: number
  existing: number
  bad_lines: BadLine[]
}

/** A CSV record with where it stood, as csv-parse's `info` option gives it. */
const csvRecord = z.object({
  record: z.record(z.string(), z.string()),
  info: z.object({ lines: z.number() }),
})

/**
 * Registers the devices of a CSV file of any length, a thousand lines at a time. Each bad line is reported with its
 * number and left out; the good ones are kept, so the file can be mended and given again.
 */
export async function importDevices(
  database: Database,
  file: string,
  report: (line: string) => void,
): Promise<ImportResult> {
  const { size } = await stat(file).catch(() => {
    throw new CommandError(`${file} cannot be read`)
  })
  const bar = new SingleBar({
    format: '{bar} {percentage}% {added} registered',
    noTTYOutput: false,
    clearOnComplete: true,
  })
  const result: ImportResult = { added: 0, existing: 0, bad_lines: [] }
  const refuse = (line: number, reason: string) => {
    result.bad_lines.push({ line, reason })
    report(`line ${line}: ${reason}`)
  }
  let batch: { line: number; device: Registration }[] = []
  const flush = async () => {
    const registered = await registerDevices(
      database.sql,
      batch.map(({ device }) => device),
    )
    for (const [index, { outcome }] of registered.entries()) {
      if (outcome === 'conflict')
        refuse(batch[index]?.line ?? 0, 'another device has this serial_code or unique_id')
      else result[outcome] += 1
    }
    batch = []
  }

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
  bar.start(size, 0, { added: 0 })
  try {
    for await (const each of lines) {
      const { record, info } = csvRecord.parse(each)
      const { firmware_id, ...codes } = record
      const parsed = registration.safeParse({
        ...codes,
        ...(firmware_id ? { firmware_id: Number(firmware_id) } : {}),
      })
      if (parsed.success) batch.push({ line: info.lines, device: parsed.data })
      else
        refuse(
          info.lines,
          parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
        )
      if (batch.length >= LINES_AT_ONCE) {
        await flush()
        bar.update(source.bytesRead, { added: result.added })
      }
    }
    await flush()
  } finally {
    bar.stop()
  }
  result.bad_lines.sort((one, other) => one.line - other.line)
  return result
}
