import { useQuery } from '@tanstack/react-query'
import type { CalendarDate } from '../time/dates'
import { companion } from './client'

/** The keys that answers are cached under; a shorter key names all that start with it. */
export const keys = {
  account: ['account'],
  policy: ['policy'],
  children: ['children'],
  devices: ['devices'],
  basestations: ['basestations'],
  charts: ['charts'],
  calendar: ['calendar'],
  outbox: ['outbox'],
} as const

export const useAccount = () =>
  useQuery({ queryKey: keys.account, queryFn: ({ signal }) => companion.account.me({ signal }) })

/** The consents: changing none of them answers what they are. */
export const usePolicy = () =>
  useQuery({ queryKey: keys.policy, queryFn: ({ signal }) => companion.account.updatePolicy({}, { signal }) })

export const useChildren = () =>
  useQuery({ queryKey: keys.children, queryFn: ({ signal }) => companion.children.list({ signal }) })

export const useDevices = () =>
  useQuery({ queryKey: keys.devices, queryFn: ({ signal }) => companion.devices.list({ signal }) })

export const useBasestations = () =>
  useQuery({ queryKey: keys.basestations, queryFn: ({ signal }) => companion.basestations.list({ signal }) })

export type Days = 7 | 30

export const useRecentChart = (real_user_id: number, days: Days, current_date: CalendarDate) =>
  useQuery({
    queryKey: [...keys.charts, 'recent', real_user_id, days, current_date],
    queryFn: ({ signal }) =>
      companion.charts.recent({ real_user_id, select_mode: days === 7 ? 0 : 1, current_date }, { signal }),
  })

export const useMonth = (real_user_id: number, year: number, month: number) =>
  useQuery({
    queryKey: [...keys.calendar, 'month', real_user_id, year, month],
    queryFn: ({ signal }) =>
      companion.calendar.history({ real_user_id, select_mode: 1, year, select_data: month }, { signal }),
  })

export const useDay = (real_user_id: number, event_date: CalendarDate) =>
  useQuery({
    queryKey: [...keys.calendar, 'day', real_user_id, event_date],
    queryFn: ({ signal }) => companion.calendar.readDay({ real_user_id, event_date }, { signal }),
  })
