import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import type { ListChildrenInput } from '@companion/sdk'
import type { ChildPage, ClinicChild } from '../list/clinic-child'
import { companion } from './client'
import { isAccessEnded, queryClient } from './query-client'

export const NIGHTS = 30

export const memberships = queryOptions({
  queryKey: ['memberships'],
  queryFn: () => companion.clinics.listMemberships(),
  refetchInterval: 60_000,
})

export const passkeys = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => companion.account.listPasskeys(),
})

export const children = (input: ListChildrenInput) =>
  queryOptions({
    queryKey: ['clinic', input.clinic_id, 'children', input],
    queryFn: () => companion.clinics.listChildren(input),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })

/** Takes a child whose connection has ended out of all pages of the list that were read, which are read again. */
export function forgetInLists(clinicId: number, realUserId: number): void {
  const queryKey = ['clinic', clinicId, 'children']
  queryClient.setQueriesData<ChildPage>(
    { queryKey },
    (page) =>
      page && { ...page, items: page.items.filter(({ real_user_id }) => real_user_id !== realUserId) },
  )
  void queryClient.invalidateQueries({ queryKey })
}

export const members = (clinicId: number) =>
  queryOptions({
    queryKey: ['clinic', clinicId, 'members'],
    queryFn: () => companion.clinics.listMembers({ clinic_id: clinicId }),
  })

/** All that is kept of a child begins with this key. */
export const childKey = (realUserId: number) => ['child', realUserId]

/** Asked four times a second, as the family may end the connection while the child is on the screen. */
export const child = (real_user_id: number) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'read'],
    queryFn: ({ signal }) => companion.children.read({ real_user_id }, { signal }),
    // A read that failed for a moment may hide the end. Before the first that succeeds, the user tries again.
    refetchInterval: ({ state: { data, error } }) => (error && (!data || isAccessEnded(error)) ? false : 250),
    gcTime: 0,
  })

/** The child's item in the list, which only the list tells; null if it is not there. */
export const childItem = (clinic_id: number, real_user_id: number) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'item', clinic_id],
    queryFn: async (): Promise<ClinicChild | null> => {
      const { items } = await companion.clinics.listChildren({ clinic_id, real_user_id })
      return items[0] ?? null
    },
    initialData: () =>
      queryClient
        .getQueriesData<ChildPage>({ queryKey: ['clinic', clinic_id, 'children'] })
        .flatMap(([, page]) => page?.items ?? [])
        .find((each) => each.real_user_id === real_user_id),
    initialDataUpdatedAt: 0,
  })

/** The uses of the nights that end with the evening before `today`. */
export const uses = (real_user_id: number, today: CalendarDate) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'uses', today],
    queryFn: async ({ signal }) => {
      const window = { start_date: addDays(today, -NIGHTS), end_date: today, limit: 500 }
      const found = []
      for await (const use of companion.treatments.all({ real_user_id, ...window }, { signal }))
        found.push(use)
      return found
    },
  })

export const plans = (real_user_id: number) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'plans'],
    queryFn: ({ signal }) => companion.plans.list({ real_user_id }, { signal }),
  })

/** Its `current_date` is today where the service is, which may be another day here: the list and the plans count by that. */
export const insight = (real_user_id: number) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'insight'],
    queryFn: ({ signal }) => companion.nights.insight({ real_user_id }, { signal }),
  })

export const surveys = (real_user_id: number) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'surveys'],
    queryFn: ({ signal }) => companion.surveys.latest({ real_user_id }, { signal }),
  })

/** The marks of a month, `yyyy-mm`. */
export const calendarMarks = (real_user_id: number, month: string) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'marks', month],
    queryFn: ({ signal }) =>
      companion.calendar.history(
        {
          real_user_id,
          select_mode: 1,
          year: Number(month.slice(0, 4)),
          select_data: Number(month.slice(5)),
        },
        { signal },
      ),
  })

export const day = (real_user_id: number, event_date: string) =>
  queryOptions({
    queryKey: [...childKey(real_user_id), 'day', event_date],
    queryFn: ({ signal }) => companion.calendar.readDay({ real_user_id, event_date }, { signal }),
  })
