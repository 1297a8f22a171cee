import type { AnalysisChart } from '@companion/sdk'

type Entries = AnalysisChart['sleep_env_data']

/** The dates with readings. The service answers 0 everywhere for a date without them. */
export const entriesWithReadings = (entries: Entries): Entries =>
  entries.filter(
    ({ temperature, humidity, brightness, noise }) =>
      temperature !== 0 || humidity !== 0 || brightness !== 0 || noise !== 0,
  )
