import type { Devlog } from './devlog.ts'

/** A PostgreSQL array. Only for what needs no quotes: numbers, uuids, dates; all checked before. */
export const array = (values: readonly (string | number | boolean)[]) => `{${values.join()}}`

/**
 * Usage logs as the arrays that `store_devlogs` and `store_fresh_devlogs` take, one per column. Written here rather
 * than by the driver, which looks at every value for what might need an escape.
 */
export const devlogColumns = (items: readonly Devlog[]) => ({
  uniqueIds: array(items.map((item) => item.unique_id)),
  dates: array(items.map((item) => item.detail_data.treatment_date)),
  times: array(items.map((item) => item.detail_data.treatment_time)),
  movements: array(items.map((item) => item.detail_data.movement)),
  logFileIds: array(items.map((item) => item.log_file_id)),
  lastIntensities: array(items.map((item) => item.detail_data.last_intensity)),
  finishFlags: array(items.map((item) => item.detail_data.finish_flag)),
  areTemporary: array(items.map((item) => item.is_temp)),
  records: array(items.map(recordOf)),
})

function recordOf({ intensity_record }: Devlog): string {
  let values = ''
  for (const { intensity } of intensity_record) values += values === '' ? intensity : `,${intensity}`
  return `"{${values}}"`
}
