import { isDevlogItem } from './item.ts'
import type { Random } from './random.ts'
import { dateOfDay } from './wall-clock.ts'

/**
 * The items as a device records them that has lost its clock for the given share of them: the time of day
 * stays, the date is one of 1970. Values that are not items stay as they are.
 */
export function resetClock(items: readonly unknown[], rate: number, random: Random): unknown[] {
  return items.map((item, index) => {
    if (!random.chance(rate) || !isDevlogItem(item)) return item
    const timeOfDay = item.detail_data.treatment_date.slice(10)
    const treatment_date = dateOfDay(index % 365) + timeOfDay
    return { ...item, detail_data: { ...item.detail_data, treatment_date } }
  })
}
