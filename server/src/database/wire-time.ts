/** SQL that writes a `timestamptz` column as the wire has it: UTC with milliseconds. */
export const isoTimestampSql = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
