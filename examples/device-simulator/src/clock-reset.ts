import { isDevlogItem } from './item.ts'
import type { Random } from './random.ts'
import { dateOfDay } from './wall-clock.ts'

/**
 * Returns the items as a device records them that has lost its clock: the given share of them keeps its time of day and
 * gets a date in 1970. Values that are not items stay unchanged.
 */
export function resetClock(items: readonly unknown[], rate: number, random: Random): unknown[] {
  return items.map((item, index) => {
    if (!random.chance(rate) || !isDevlogItem(item)) return item
    const timeOfDay = item.detail_data.treatment_date.slice(10)
    const treatment_date = dateOfDay(index % 365) + timeOfDay
    return { ...item, detail_data: { ...item.detail_data, treatment_date } }
  })
}
