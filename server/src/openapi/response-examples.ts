import { fieldDescriptions, formatExamples } from './response-fields.ts'
import { isInlineSchema } from './parts.ts'
import type { OperationObject, Reference, Schema } from './parts.ts'

type Schemas = Record<string, Schema | Reference>

/** Describes each field of `schema`, and below it, that has no description of its own. */
export function describeFields(schema: Schema | Reference | undefined): void {
  if (!schema || !isInlineSchema(schema)) return
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const { description } = fieldDescriptions[name] ?? {}
    if (isInlineSchema(field) && description !== undefined) field.description ??= description
    describeFields(field)
  }
  for (const part of [schema.items, ...(schema.anyOf ?? [])]) describeFields(part)
}

/** Gives the response of `operation` an example, if it is JSON. */
export function addExample({ responses }: OperationObject, schemas: Schemas): void {
  const content = Object(responses?.['200']).content?.['application/json']
  const example = content && exampleOf(content.schema, schemas)
  if (example !== undefined) content.example = example
}

/** Returns an example of `schema`; undefined if nothing says what it holds. */
function exampleOf(schema: Schema | Reference | undefined, schemas: Schemas, name = ''): unknown {
  if (!schema) return undefined
  if (!isInlineSchema(schema)) return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas, name)
  const { examples = [], properties, required = [], items, anyOf } = schema
  const [example = schema.const] = examples
  if (example !== undefined) return example
  if (properties)
    return Object.fromEntries(required.map((field) => [field, exampleOf(properties[field], schemas, field)]))
  const known = fieldDescriptions[name]?.example
  if (known !== undefined) return known
  if (items) return [exampleOf(items, schemas, name)]
  if (anyOf) return exampleOf(anyOf[0], schemas, name)
  return schema.enum?.[0] ?? formatExamples[schema.format ?? ''] ?? plainExamples[String(schema.type)]
}

const plainExamples: Record<string, unknown> = { boolean: false }
