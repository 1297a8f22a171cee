import { requestFieldExamples } from './request-examples.ts'
import { fieldDescriptions, examplesByFormat } from './response-fields.ts'
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

/** Gives the body that `operation` takes an example. */
export function exemplifyBody({ requestBody }: OperationObject, schemas: Schemas): void {
  if (!requestBody || !isInlineSchema(requestBody)) return
  for (const content of Object.values(requestBody.content)) {
    const example = exampleOf(content.schema, schemas)
    if (example !== undefined) content.example = example
  }
}

/** Returns an example of `schema`; undefined if nothing says what it holds. */
function exampleOf(schema: Schema | Reference | undefined, schemas: Schemas, name = ''): unknown {
  if (!schema) return undefined
  if (!isInlineSchema(schema)) return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas, name)
  const { examples = [], properties, required = [], items, anyOf, oneOf } = schema
  const [example = schema.const] = examples
  if (example !== undefined) return example
  if (properties) {
    // A change takes any of its fields.
    const fields = required.length > 0 ? required : Object.keys(properties)
    return Object.fromEntries(fields.map((field) => [field, exampleOf(properties[field], schemas, field)]))
  }
  const known = fieldDescriptions[name]?.example ?? requestFieldExamples[name]
  if (known !== undefined) return known
  if (items) return [exampleOf(items, schemas, name)]
  const [first] = anyOf ?? oneOf ?? []
  if (first) return exampleOf(first, schemas, name)
  return schema.enum?.[0] ?? examplesByFormat[schema.format ?? ''] ?? plainExamples[String(schema.type)]
}

const plainExamples: Record<string, unknown> = { boolean: false }
