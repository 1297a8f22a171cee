/**
 * One item of `POST /api/v1/gamma/device/devlog`: one use of the device.
 *
 * `detail_data.treatment_date` is the device's wall clock at the start, `yyyy-mm-ddThh:mm:ss` without zone;
 * `treatment_time` is in seconds; `intensity_record` holds one value per started six minutes.
 * `is_temp` and `movement` are optional: absent means `false` and `0`.
 */
export interface DevlogItem {
  unique_id: string
  log_file_id: number
  is_temp?: boolean
  detail_data: {
    treatment_date: string
    treatment_time: number
    last_intensity: number
    finish_flag: string | number
    movement?: number
  }
  intensity_record: { intensity: number }[]
}

/**
 * Whether a value has the shape of an item. Ranges are not checked: a simulator that holds back a bad record could not
 * show what the server does with it.
 */
export function isDevlogItem(value: unknown): value is DevlogItem {
  if (!isObject(value) || !('detail_data' in value) || !isObject(value.detail_data)) return false
  if (!('unique_id' in value) || typeof value.unique_id !== 'string') return false
  if (!('log_file_id' in value) || !Number.isInteger(value.log_file_id)) return false
  if ('is_temp' in value && typeof value.is_temp !== 'boolean') return false
  if (!('intensity_record' in value) || !Array.isArray(value.intensity_record)) return false
  if (!value.intensity_record.every(isIntensity)) return false

  const detail = value.detail_data
  return (
    'treatment_date' in detail &&
    typeof detail.treatment_date === 'string' &&
    /^\d{4}-\d{2}-\d{2}T/.test(detail.treatment_date) &&
    'treatment_time' in detail &&
    Number.isInteger(detail.treatment_time) &&
    'last_intensity' in detail &&
    Number.isInteger(detail.last_intensity) &&
    'finish_flag' in detail &&
    (typeof detail.finish_flag === 'string' || Number.isInteger(detail.finish_flag)) &&
    (!('movement' in detail) || Number.isInteger(detail.movement))
  )
}

function isIntensity(value: unknown): value is { intensity: number } {
  return isObject(value) && 'intensity' in value && Number.isInteger(value.intensity)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
