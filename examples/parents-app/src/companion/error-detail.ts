/** A property of a value of any kind. */
export const readProperty = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** The service's reason for refusing a call. */
export const detailOf = (error: unknown): unknown => readProperty(readProperty(error, 'data'), 'detail')
