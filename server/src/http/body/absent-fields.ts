import { z } from 'zod'

/** Leaves out of an input, in place, each null that means the same as no field. */
export type RemoveNulls = (input: unknown) => void

/**
 * Returns a function that takes null for absent in each optional field that is no boolean and has no null of its own: clients
 * of typed languages write null where their users have said nothing. A consent must not follow from it, so that booleans refuse
 * it. Undefined if `schema` has no such field.
 */
export function nullRemover(schema: unknown): RemoveNulls | undefined {
  const inner = innerOf(schema)
  if (inner instanceof z.ZodArray) {
    const leave = nullRemover(inner.element)
    return leave && ((input) => (Array.isArray(input) ? input.forEach(leave) : undefined))
  }
  if (!(inner instanceof z.ZodObject)) return undefined
  const fields = Object.entries<unknown>(inner.shape).flatMap(([name, field]) => {
    const [mayLack, leave] = [mayBeNull(field), nullRemover(field)]
    return mayLack || leave ? [{ name, mayLack, leave }] : []
  })
  if (fields.length === 0) return undefined
  return (input) => {
    if (typeof input !== 'object' || input === null) return
    for (const { name, mayLack, leave } of fields) {
      const value: unknown = Reflect.get(input, name)
      if (value === null && mayLack) Reflect.deleteProperty(input, name)
      else if (leave && value !== undefined) leave(value)
    }
  }
}

const settings = new WeakSet<z.ZodType>()

/** Marks a field that keeps its value when it is absent, and of which null could be meant to clear it: null is refused. */
export function rejectNull<Schema extends z.ZodType>(schema: Schema): Schema {
  settings.add(schema)
  return schema
}

/** Whether null stands for the absence of a field. */
const mayBeNull = (field: unknown) =>
  isOptional(field) && !takes(field, null) && !isBoolean(field) && !isSetting(innerOf(field))

const isSetting = (schema: unknown) => schema instanceof z.ZodType && settings.has(schema)

export const isOptional = (field: unknown): boolean => takes(field, undefined)

/** Whether a caller may send null for a field. */
export const acceptsNull = (field: unknown): boolean => takes(field, null) || mayBeNull(field)

const takes = (field: unknown, value: unknown) => field instanceof z.ZodType && field.safeParse(value).success

const isBoolean = (schema: unknown): boolean => {
  const inner = innerOf(schema)
  if (inner instanceof z.ZodUnion) return inner.options.some(isBoolean)
  return inner instanceof z.ZodBoolean
}

/** The schema of what is sent, without what makes it optional or changes it afterwards. */
function innerOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return innerOf(schema.unwrap())
  return schema instanceof z.ZodPipe ? innerOf(schema.in) : schema
}
