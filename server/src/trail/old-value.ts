/* What a change has replaced, as the trail keeps it: personal data of a child. */

/** The text that is stored. */
export const closeOldValue = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)

/** The JSON that such a text says. */
export const openOldValue = (stored: string): string => stored
