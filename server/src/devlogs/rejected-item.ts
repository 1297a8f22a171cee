import { z } from 'zod'

/** The maximum number of bytes kept of an item. */
const MOST_BYTES = 4096
/** Of a larger one this much of its text: in the worst case every character of it takes an escape. */
const BEGINNING_BYTES = 2000

const plainRecord = z.object({ intensity_record: z.array(z.strictObject({ intensity: z.number() })) })
const shortRecord = z.looseObject({ intensity_record: z.array(z.number()) })
const beginning = z.strictObject({ beginning: z.string() })

/**
 * The text that is kept of a rejected item, at most 4 kB. A day of intensities fits, written as numbers alone; of what
 * is larger all the same only the beginning is kept, for a person to read.
 */
export function rejectedItemText(item: unknown): string {
  const text = asText(shortened(item))
  if (Buffer.byteLength(text) <= MOST_BYTES) return text
  return JSON.stringify({ beginning: Buffer.from(text).subarray(0, BEGINNING_BYTES).toString() })
}

/** The item of a kept text as it was uploaded; undefined when only its beginning was kept. */
export function parseRejectedItem(text: string): unknown {
  const item: unknown = JSON.parse(text)
  if (beginning.safeParse(item).success) return undefined
  const { data } = shortRecord.safeParse(item)
  return data
    ? { ...data, intensity_record: data.intensity_record.map((intensity) => ({ intensity })) }
    : item
}

function shortened(item: unknown): unknown {
  const { data } = plainRecord.safeParse(item)
  return data && typeof item === 'object'
    ? { ...item, intensity_record: data.intensity_record.map(({ intensity }) => intensity) }
    : item
}

function asText(item: unknown): string {
  try {
    return JSON.stringify(item)
  } catch (error) {
    // JSON may nest deeper than the stack goes.
    if (error instanceof RangeError) return '"nested too deeply to be kept"'
    throw error
  }
}
