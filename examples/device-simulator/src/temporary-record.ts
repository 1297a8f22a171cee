import type { DevlogItem } from './item.ts'

/** Returns the record of a use that is half over. */
export function toTemporaryRecord(item: DevlogItem): DevlogItem {
  const { detail_data, intensity_record } = item
  const sofar = intensity_record.slice(0, Math.ceil(intensity_record.length / 2))
  const treatment_time = Math.floor(detail_data.treatment_time / 2)
  const last_intensity = sofar.at(-1)?.intensity ?? 0
  return {
    ...item,
    is_temp: true,
    detail_data: { ...detail_data, treatment_time, last_intensity },
    intensity_record: sofar,
  }
}
