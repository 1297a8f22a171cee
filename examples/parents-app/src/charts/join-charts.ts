import type { Outputs } from '@companion/sdk'

/** Use, intensity and movement of every date of a window; null where a date has no data. */
export type UsageChart = Outputs['charts']['recentByDate']

function mean(values: readonly (number | null)[]): number {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length
}

/** One chart of several windows that follow each other. Its averages are over the dates with data, as the service's are. */
export function joinCharts(charts: readonly UsageChart[]): UsageChart {
  const treatment_time_data = charts.flatMap((chart) => chart.treatment_time_data)
  const treatment_intensity_data = charts.flatMap((chart) => chart.treatment_intensity_data)
  const movement_data = charts.flatMap((chart) => chart.movement_data)
  return {
    treatment_time_data,
    treatment_intensity_data,
    movement_data,
    avg_treatment_time: mean(treatment_time_data.map(({ treatment_time }) => treatment_time)),
    avg_treatment_intensity: mean(treatment_intensity_data.map(({ last_intensity }) => last_intensity)),
    avg_movement: mean(movement_data.map(({ movement }) => movement)),
  }
}
