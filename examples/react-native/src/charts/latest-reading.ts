import type { AnalysisChart } from '@companion/sdk'

/** The newest date with readings; dates without carry nothing but 0. */
export const latestReading = (entries: AnalysisChart['sleep_env_data']) =>
  entries.findLast(
    ({ temperature, humidity, brightness, noise }) =>
      temperature !== 0 || humidity !== 0 || brightness !== 0 || noise !== 0,
  )
