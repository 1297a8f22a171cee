import type { Schema } from './document.ts'

const FORMATS: Record<string, string> = {
  date: '`yyyy-mm-dd`.',
  'date-time': 'ISO 8601 in UTC.',
  uuid: 'A uuid.',
}
/** The bounds of a 32-bit integer say nothing about a field. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < 2 ** 31 - 1
const count = (value: number) => value.toLocaleString('en-US')

function range({ minimum, maximum }: Schema): string | undefined {
  if (!isBound(minimum)) return undefined
  if (!isBound(maximum)) return `From ${count(minimum)}.`
  // Two values are named by the description.
  return maximum > minimum + 1 ? `From ${count(minimum)} to ${count(maximum)}.` : undefined
}

/** What the document says of a field: its meaning, format, an example, bounds and default; empty when it says nothing. */
export function fieldComment(schema: Schema): string {
  const { description, format, examples, minLength, maxLength, maxItems } = schema
  const known = description === undefined ? FORMATS[format ?? ''] : undefined
  const example = known ? undefined : examples?.[0]
  return [
    description?.replace(/([^.])$/, '$1.'),
    known,
    typeof example === 'string' ? `Such as \`${example}\`.` : undefined,
    range(schema),
    maxLength === undefined
      ? undefined
      : minLength === undefined
        ? `At most ${count(maxLength)} characters.`
        : `${count(minLength)} to ${count(maxLength)} characters.`,
    maxItems === undefined ? undefined : `At most ${count(maxItems)}.`,
    schema.default === undefined ? undefined : `Default: ${JSON.stringify(schema.default)}.`,
  ]
    .filter((part) => part !== undefined)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
}
