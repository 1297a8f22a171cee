import { isInlineSchema } from './parts.ts'
import type { Schema } from './parts.ts'

type SchemaOrReference = NonNullable<Schema['properties']>[string]

/**
 * Says of a body that null may stand for the absence of an optional field that is no boolean; see `absent-fields.ts`, which
 * takes it so.
 */
export function withNulls(schema: SchemaOrReference): SchemaOrReference {
  if (!isInlineSchema(schema)) return schema
  if (schema.items) return { ...schema, items: withNulls(schema.items) }
  if (!schema.properties) return schema
  const properties = Object.entries(schema.properties).map(([name, field]): [string, SchemaOrReference] => {
    const within = withNulls(field)
    return [name, schema.required?.includes(name) || isBooleanOrNull(field) ? within : orNull(within)]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function isBooleanOrNull(schema: SchemaOrReference): boolean {
  if (!isInlineSchema(schema)) return false
  const parts = schema.anyOf ?? schema.oneOf
  return parts
    ? parts.some(isBooleanOrNull)
    : [schema.type].flat().some((type) => type === 'boolean' || type === 'null')
}

function orNull(field: SchemaOrReference): SchemaOrReference {
  if (!isInlineSchema(field)) return { anyOf: [field, { type: 'null' }] }
  if (field.type === undefined) return { ...field, anyOf: [...(field.anyOf ?? []), { type: 'null' }] }
  const types = [...[field.type].flat(), 'null' as const]
  return { ...field, type: types, ...(field.enum ? { enum: [...field.enum, null] } : {}) }
}
