import { createHash } from 'node:crypto'
import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { uniqueIdField } from '../http/fields.ts'
import type { CallerRequest } from '../http/request.ts'
import { MAX_DEVLOGS_PER_UPLOAD } from './devlog.ts'
import { rejectedItemText } from './rejected-item.ts'
import { countWrongClocks } from './upload-metrics.ts'

/** An item that could not be stored, and why. */
export interface RejectedItem {
  index: number
  detail: string
  item: unknown
}

/** An upload sorted into what can be read and what cannot. `positions[k]` is where `items[k]` stood in the upload. */
export interface PartitionedUpload {
  items: unknown[]
  positions: number[]
  rejections: RejectedItem[]
  arrivedAt: Date
}

/** Whether the request asks to go on without its bad items: `Prefer: handling=lenient` (RFC 7240, 4.4). */
export const prefersLenient = ({ headers }: CallerRequest) =>
  /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i.test(String(headers['prefer'] ?? ''))

/** What became of one item of a lenient upload. */
export const uploadResultSchema = z
  .object({
    index: z.int().meta({ description: 'Position of the item, from 0' }),
    status: z
      .enum(['stored', 'duplicate', 'completed', 'rejected'])
      .meta({ description: '`completed`: it has replaced a temporary one' }),
    detail: z.string().optional().meta({ description: 'Why it was rejected' }),
  })
  .meta({ id: 'UploadResult', description: 'What became of one item' })
export type UploadResult = z.infer<typeof uploadResultSchema>

/** The results of an upload, for the response. */
export const uploadResultsSchema = z
  .array(uploadResultSchema)
  .optional()
  .meta({ description: 'Only with `handling=lenient`: one for each item, in their order' })

export const sortUploadResults = (results: UploadResult[]): UploadResult[] =>
  results.toSorted((one, other) => one.index - other.index)

const upload = z.object({ items: z.array(z.unknown()).max(MAX_DEVLOGS_PER_UPLOAD) })

/**
 * Sorts the items of a lenient upload by whether `one` takes them; undefined when the upload as a whole is not valid, which is
 * not forgiven.
 */
export function partitionUpload(one: z.ZodType, rawInput: unknown): PartitionedUpload | undefined {
  const raw = upload.safeParse(rawInput)
  if (!raw.success) return undefined
  const sorted: PartitionedUpload = { items: [], positions: [], rejections: [], arrivedAt: new Date() }
  const { error } = z.array(one).safeParse(raw.data.items)
  countWrongClocks(error)
  // In one go: an error of its own for each item, with its stack, takes longer than all the rest.
  const firstOf = new Map<unknown, z.core.$ZodIssue>()
  for (const issue of error?.issues ?? []) {
    const [index] = issue.path
    if (!firstOf.has(index)) firstOf.set(index, issue)
  }
  for (const [index, item] of raw.data.items.entries()) {
    const issue = firstOf.get(index)
    if (issue)
      sorted.rejections.push({
        index,
        detail: `${issue.path.slice(1).join('.') || 'item'}: ${issue.message}`,
        item,
      })
    else {
      sorted.items.push(item)
      sorted.positions.push(index)
    }
  }
  return sorted
}

// The child is held, so that its deletion finds what is kept here. In one order, so that two uploads never wait for each
// other in a circle.
const keep = statement(
  'keep-rejections',
  `WITH wearer AS MATERIALIZED (
     SELECT r.id, d.unique_id FROM device d JOIN real_user r ON r.id = d.real_user_id
     WHERE d.unique_id = ANY ($4::uuid[]) AND d.connected_at <= $6 AND r.deleted_at IS NULL
     ORDER BY r.id FOR SHARE OF r
   )
   INSERT INTO rejected_devlog (content_hash, content, reason, address, real_user_id)
   SELECT DISTINCT ON (i.content_hash) i.content_hash, i.content, i.reason, $5, w.id
   FROM unnest($1::bytea[], $2::text[], $3::text[], $4::uuid[]) AS i (content_hash, content, reason, unique_id)
   JOIN device USING (unique_id)
   LEFT JOIN wearer w USING (unique_id)
   ORDER BY i.content_hash
   ON CONFLICT (content_hash) DO UPDATE SET received_at = excluded.received_at, address = excluded.address
     WHERE rejected_devlog.received_at < excluded.received_at - interval '1 day'
       AND rejected_devlog.real_user_id IS NOT DISTINCT FROM excluded.real_user_id`,
)

const named = z.object({ unique_id: uniqueIdField })

/**
 * Keeps rejected items of registered devices for the operator; the same item again, as a retrying device sends it, is
 * kept once, with the day of its last arrival. Nothing is kept, and false answered, once the caller's address has used up its bytes of the day.
 */
export async function storeRejectedItems(
  { database, limits, request }: Pick<Context, 'database' | 'limits' | 'request'>,
  { rejections, arrivedAt }: PartitionedUpload,
): Promise<boolean> {
  const items = rejections.flatMap(({ item, detail }) => {
    const uniqueId = named.safeParse(item).data?.unique_id
    return uniqueId === undefined ? [] : [{ uniqueId, detail, content: rejectedItemText(item) }]
  })
  if (items.length === 0) return true
  const bytes = items.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const isWithin = await limits
    .consume('keptRejectionBytesPerAddress', request.address, bytes)
    .then(() => true, falseIfOverLimit)
  if (!isWithin) return false
  await database.query(keep, [
    items.map(({ content }) => createHash('sha256').update(content).digest()),
    items.map(({ content }) => database.keyRing.encrypt('rejected_devlog.content', content)),
    items.map(({ detail }) => detail),
    items.map(({ uniqueId }) => uniqueId),
    database.keyRing.encrypt('rejected_devlog.address', request.address),
    arrivedAt,
  ])
  return true
}

/** For what is done only within a limit, and not refused beyond it. */
export function falseIfOverLimit(error: unknown): false {
  if (error instanceof Failure) return false
  throw error
}
