import { safe } from '@companion/sdk'
import type { AnalysisChart, CalendarDay } from '@companion/sdk'
import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { updateSightings } from '../calendar/night-before'
import type { NoteSightings } from '../calendar/night-before'
import { isEmptyNote } from '../calendar/note-draft'
import type { NightsInsight } from '../nights/insight'
import { readRecords } from '../nights/record'
import type { UsageRecord } from '../nights/record'
import { joinCharts } from '../charts/join-charts'
import type { UsageChart } from '../charts/join-charts'
import { addDays, today, wallClock } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { companion } from './client'
import { cacheKeys } from './cache-keys'

export const useAccount = () =>
  useQuery({
    queryKey: cacheKeys.account,
    queryFn: ({ signal }) => companion.account.me({ signal }),
    // An address is confirmed in another program, from which the parent is back within seconds.
    refetchOnWindowFocus: ({ state }) => (state.data?.is_email_confirmed === false ? 'always' : true),
  })

/** The consents. The service answers them to an update that changes nothing. */
export const usePolicy = () =>
  useQuery({
    queryKey: cacheKeys.policy,
    queryFn: ({ signal }) => companion.account.updatePolicy({}, { signal }),
  })

/** The countries whose phone numbers get codes, in the order of the service; undefined while it is out of reach. */
export const usePhoneCountries = () =>
  useQuery({
    queryKey: cacheKeys.phoneCountries,
    queryFn: ({ signal }) => companion.auth.listPhoneCountries({ signal }),
    staleTime: 3_600_000,
  })

export const useChildren = () =>
  useQuery({ queryKey: cacheKeys.children, queryFn: ({ signal }) => companion.children.list({ signal }) })

export const useDevices = () =>
  useQuery({ queryKey: cacheKeys.devices, queryFn: ({ signal }) => companion.devices.list({ signal }) })

export const useBasestations = () =>
  useQuery({
    queryKey: cacheKeys.basestations,
    queryFn: ({ signal }) => companion.basestations.list({ signal }),
  })

export type Days = 7 | 30 | 90

/** The last dates of the windows that the service draws, which together are the period. */
const windowsOf = (days: Days, last: CalendarDate) =>
  (days === 90 ? [addDays(last, -60), addDays(last, -30), last] : [last]).map(
    (current_date) => ({ select_mode: days === 7 ? 0 : 1, current_date }) as const,
  )

/** The chart up to `current_date`. Until today's is loaded, the newest chart of an earlier day takes its place. */
export function useRecentChart(real_user_id: number, days: Days, current_date: CalendarDate) {
  const queries = useQueryClient()
  const key = [...cacheKeys.charts, 'by-date', real_user_id, days]
  return useQuery({
    queryKey: [...key, current_date],
    queryFn: async ({ signal }) =>
      joinCharts(
        await Promise.all(
          windowsOf(days, current_date).map((window) =>
            companion.charts.recentByDate({ real_user_id, ...window }, { signal }),
          ),
        ),
      ),
    initialData: () =>
      current_date === today() ? newestOf(queries.getQueriesData<UsageChart>({ queryKey: key })) : undefined,
    initialDataUpdatedAt: 0,
  })
}

/** The response with the greatest key, which for keys that end with a date is the newest. */
const newestOf = <Output>(responses: [QueryKey, Output | undefined][]): Output | undefined =>
  responses
    .filter(([, response]) => response)
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    .at(-1)?.[1]

/** What the devices of a child recorded from one date to another. */
export const useRecords = (real_user_id: number, start_date: CalendarDate, end_date: CalendarDate) =>
  useQuery({
    queryKey: [...cacheKeys.records, 'period', real_user_id, start_date, end_date],
    queryFn: ({ signal }) => readRecords(companion, { real_user_id, start_date, end_date }, signal),
  })

/** The days of which `useLatestRecords` tells. */
export const LATEST_DAYS = 30

/** What the devices of a child recorded in the 30 days up to `date`. Until it is loaded, an earlier response takes its place. */
export function useLatestRecords(real_user_id: number, date: CalendarDate) {
  const queries = useQueryClient()
  const key = [...cacheKeys.records, 'latest', real_user_id]
  return useQuery({
    queryKey: [...key, date],
    queryFn: ({ signal }) =>
      readRecords(
        companion,
        { real_user_id, start_date: addDays(date, 1 - LATEST_DAYS), end_date: date },
        signal,
      ),
    initialData: () => newestOf(queries.getQueriesData<UsageRecord[]>({ queryKey: key })),
    initialDataUpdatedAt: 0,
  })
}

/**
 * How the nights of a child go, on the morning of `date`. Until it is loaded, an earlier response takes its place: its
 * `current_date` says so.
 */
export function useInsight(real_user_id: number, date: CalendarDate) {
  const queries = useQueryClient()
  const key = [...cacheKeys.nights, 'insight', real_user_id]
  return useQuery({
    queryKey: [...key, date],
    queryFn: ({ signal }) => companion.nights.insight({ real_user_id, current_date: date }, { signal }),
    initialData: () => newestOf(queries.getQueriesData<NightsInsight>({ queryKey: key })),
    initialDataUpdatedAt: 0,
  })
}

export const plansOptions = (real_user_id: number) =>
  queryOptions({
    queryKey: [...cacheKeys.nights, 'plans', real_user_id],
    queryFn: ({ signal }) => companion.plans.list({ real_user_id }, { signal }),
  })

/** What is planned for a child, now and before. */
export const usePlans = (real_user_id: number) => useQuery(plansOptions(real_user_id))

/** The readings of the base station, or null if none is connected, which is no failure here. */
export const useEnvironment = (real_user_id: number, days: Days, current_date: CalendarDate) =>
  useQuery({
    queryKey: [...cacheKeys.charts, 'environment', real_user_id, days, current_date],
    queryFn: async ({ signal }): Promise<AnalysisChart['sleep_env_data'] | null> => {
      const windows = await Promise.all(
        windowsOf(days, current_date).map(async (window) => {
          const [chart, error] = await safe(
            companion.charts.analysis({ real_user_id, ...window }, { signal }),
          )
          if (chart) return chart.sleep_env_data
          const detail = error?.data?.detail
          if (detail === 'Device not found' || detail === 'This device does not belong to the user')
            return null
          throw error
        }),
      )
      return windows.includes(null) ? null : windows.flatMap((entries) => entries ?? [])
    },
  })

export const useMonth = (real_user_id: number, year: number, month: number) =>
  useQuery({
    queryKey: [...cacheKeys.calendar, 'month', real_user_id, year, month],
    queryFn: ({ signal }) =>
      companion.calendar.history({ real_user_id, select_mode: 1, year, select_data: month }, { signal }),
  })

/** A day as the service knows it, and what this phone knows of when its note was written. */
export type DayWithSightings = CalendarDay & NoteSightings

export const dayOptions = (real_user_id: number, event_date: CalendarDate) =>
  queryOptions({
    queryKey: [...cacheKeys.calendar, 'day', real_user_id, event_date],
    queryFn: async ({ signal, client, queryKey }): Promise<DayWithSightings> => {
      const day = await companion.calendar.readDay({ real_user_id, event_date }, { signal })
      const before = client.getQueryData<DayWithSightings>(queryKey)
      return { ...day, ...updateSightings(before, isEmptyNote(day), wallClock(new Date())) }
    },
  })

export const useDay = (childId: number, date: CalendarDate) => useQuery(dayOptions(childId, date))

export const useSurveys = (real_user_id: number) =>
  useQuery({
    queryKey: [...cacheKeys.surveys, 'latest', real_user_id],
    queryFn: ({ signal }) => companion.surveys.latest({ real_user_id }, { signal }),
  })

const sharesOptions = (real_user_id: number) =>
  queryOptions({
    queryKey: [...cacheKeys.shares, 'people', real_user_id],
    queryFn: ({ signal }) => companion.shares.list({ real_user_id }, { signal }),
  })

/** Who has access to a child; for a member of it, only that member. */
export const useShares = (real_user_id: number) => useQuery(sharesOptions(real_user_id))

/** The same for each of these children. */
export const useSharesOf = (ids: readonly number[]) => useQueries({ queries: ids.map(sharesOptions) })

const connectionsOptions = (real_user_id: number) =>
  queryOptions({
    queryKey: [...cacheKeys.clinics, 'connections', real_user_id],
    queryFn: ({ signal }) => companion.clinics.listConnections({ real_user_id }, { signal }),
  })

/** The clinics that see a child. */
export const useConnections = (real_user_id: number) => useQuery(connectionsOptions(real_user_id))

/** The same for each of these children. */
export const useConnectionsOf = (ids: readonly number[]) =>
  useQueries({ queries: ids.map(connectionsOptions) })

/** The apps of others that the account has let in. */
export const useGrants = () =>
  useQuery({ queryKey: cacheKeys.grants, queryFn: ({ signal }) => companion.grants.list({ signal }) })
