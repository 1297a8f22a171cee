import { SingleBar } from 'cli-progress'
import type { Database } from '../database/database.ts'
import { registerDevices, registration } from '../devices/register.ts'
import type { Registration } from '../devices/register.ts'
import { readCsv } from './read-csv.ts'

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

/**
 * Registers the devices of a CSV file of any length, a thousand lines at a time. Each bad line is reported with its
 * number and left out; the good ones are kept, so the file can be mended and given again.
 */
export async function importDevices(
  database: Database,
  file: string,
  report: (line: string) => void,
): Promise<ImportResult> {
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

  bar.start(1, 0, { added: 0 })
  try {
    for await (const { line, record, progress } of readCsv(file, columns, refuse)) {
      const { firmware_id, ...codes } = record
      const parsed = registration.safeParse({
        ...codes,
        ...(firmware_id ? { firmware_id: Number(firmware_id) } : {}),
      })
      if (parsed.success) batch.push({ line, device: parsed.data })
      else
        refuse(
          line,
          parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
        )
      if (batch.length >= LINES_AT_ONCE) {
        await flush()
        bar.update(progress, { added: result.added })
      }
    }
    await flush()
  } finally {
    bar.stop()
  }
  result.bad_lines.sort((one, other) => one.line - other.line)
  return result
}
