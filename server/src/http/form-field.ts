/** A field of a form or query, as text; empty if it is missing or was sent several times. */
export function formField(values: unknown, name: string): string {
  const value: unknown = typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined
  return typeof value === 'string' ? value : ''
}
