import type { Devlog } from './devlog.ts'

/** A PostgreSQL array. Only for what needs no quotes: numbers, uuids, dates; all checked before. */
export const formatPostgresArray = (values: readonly (string | number | boolean)[]) => `{${values.join()}}`

/** The elements of such an array, NULL as its name. The driver's parser takes a hundred times as long. */
export const parsePostgresArray = (text: string): string[] =>
  text === '{}' ? [] : text.slice(1, -1).split(',')

/**
 * The columns of usage logs that `store_devlogs` and `store_devlogs_together` take alike. Written here rather than by the
 * driver, which looks at every value for what might need an escape.
 */
export const devlogColumns = (items: readonly Devlog[]) => ({
  uniqueIds: formatPostgresArray(items.map((item) => item.unique_id)),
  dates: formatPostgresArray(items.map((item) => item.detail_data.treatment_date)),
  times: formatPostgresArray(items.map((item) => item.detail_data.treatment_time)),
  movements: formatPostgresArray(items.map((item) => item.detail_data.movement)),
  logFileIds: formatPostgresArray(items.map((item) => item.log_file_id)),
  lastIntensities: formatPostgresArray(items.map((item) => item.detail_data.last_intensity)),
  finishFlags: formatPostgresArray(items.map((item) => item.detail_data.finish_flag)),
})
