/*
 * Many short rows as one: each column as a text with commas. Of the time of a chart, a quarter went into taking its
 * rows apart again.
 */

/** SQL for the values of `column` as one text, in the order of the rows; null when there are none. */
export const packedSql = (column: string) => `string_agg(${column}::text, ',')`

/** The values of such a column, none of which may be null or hold a comma. */
export const parsePacked = (values: string | null): string[] => values?.split(',') ?? []
