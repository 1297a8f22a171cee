import { z } from 'zod'
import { calendarDateField, idField } from '../http/fields.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The IANA name of the service's time zone, which only decides today's date. */
    timeZone: string
  }
}

/** The query parameters of a chart. */
export const chartInput = z.object({
  real_user_id: idField,
  select_mode: z.int().default(0).meta({ description: '0: 7 days, 1: 30 days' }),
  current_date: calendarDateField.optional().meta({
    description:
      'The last day of the window. Send the date where the user is: without it, it is today in the time zone of the service',
  }),
})

const series = <Field extends z.ZodRawShape>(id: string, description: string, field: Field) =>
  z.array(
    z.object({ treatment_date: z.string().meta({ format: 'date' }), ...field }).meta({ id, description }),
  )

export const usageChartSchema = z.object({
  treatment_time_data: series('UsageTime', 'Time of use on one date', {
    treatment_time: z.int().meta({ description: 'Seconds, summed' }),
  }),
  treatment_intensity_data: series('Intensity', 'Intensity on one date', {
    last_intensity: z.number().meta({ description: 'Mean, to one decimal' }),
  }),
  movement_data: series('Movement', 'Movement on one date', {
    movement: z.int().meta({ description: 'Summed' }),
  }),
  avg_treatment_time: z.number().meta({ description: 'Seconds; mean of the dates with data, 0 without' }),
  avg_treatment_intensity: z.number().meta({ description: 'Mean of the dates with data, 0 without' }),
  avg_movement: z.number().meta({ description: 'Mean of the dates with data, 0 without' }),
})

/** SQL that aggregates a date's treatments. PostgreSQL rounds a numeric half away from zero. */
export const USAGE_SUMS_SQL = `sum(treatment_time)::float8 AS treatment_time, round(avg(last_intensity), 1)::float8 AS last_intensity,
       sum(movement)::float8 AS movement`

/** One date of a window; its values are null if it has no treatment. */
export interface UsageRow {
  treatment_date: string
  treatment_time: number | null
  last_intensity: number | null
  movement: number | null
}

/** Builds the chart of `rows`. A date without data has the value 0 and does not count in averages. */
export const usageChartOf = (rows: readonly UsageRow[]): z.infer<typeof usageChartSchema> => ({
  treatment_time_data: rows.map(({ treatment_date, treatment_time }) => ({
    treatment_date,
    treatment_time: treatment_time ?? 0,
  })),
  treatment_intensity_data: rows.map(({ treatment_date, last_intensity }) => ({
    treatment_date,
    last_intensity: last_intensity ?? 0,
  })),
  movement_data: rows.map(({ treatment_date, movement }) => ({ treatment_date, movement: movement ?? 0 })),
  avg_treatment_time: mean(rows.map((row) => row.treatment_time)),
  avg_treatment_intensity: mean(rows.map((row) => row.last_intensity)),
  avg_movement: mean(rows.map((row) => row.movement)),
})

/** Seven dates with five nights of use, for examples. */
export const exampleUsageWeek: readonly UsageRow[] = (
  [
    [28_800, 9, 41],
    [27_360, 9.5, 52],
    [null, null, null],
    [30_240, 10, 36],
    [28_080, 10, 47],
    [null, null, null],
    [29_520, 10.5, 39],
  ] as const
).map(([treatment_time, last_intensity, movement], n) => ({
  treatment_date: `2026-03-0${n + 1}`,
  treatment_time,
  last_intensity,
  movement,
}))

function mean(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length
}
