import { companion } from './client'

/* The list of a clinic. This file gives way to the methods that the SDK generates for it. */

export const flags = ['no_upload', 'below_plan', 'falling', 'contact_loss', 'clock'] as const
export type Flag = (typeof flags)[number]

export const sorts = ['flags', 'last_night', 'name', 'since'] as const
export type Sort = (typeof sorts)[number]

/** A child in the list of a clinic. Figures that end in `_28` are about the 28 evenings up to yesterday's. */
export interface ClinicChild {
  real_user_id: number
  first_name: string
  last_name: string
  birthdate: string
  gender: string
  record_number: string | null
  since: string
  until: string | null
  plan: { nights_per_week: number; minutes: number } | null
  last_night: string | null
  last_upload_at: string | null
  used_28: number
  reached_28: number
  median_minutes_28: number | null
  used_28_before: number
  contact_losses_28: number
  flags: Flag[]
  seen_at: string | null
  seen_by: string | null
}

export interface ChildPage {
  items: ClinicChild[]
  next: string | null
  total: number
  flags: Record<Flag, number>
}

export interface ListInput {
  clinic_id: number
  flag?: Flag | undefined
  sort: Sort
  search?: string | undefined
  after?: string | undefined
  limit: number
}

export interface NewPlan {
  nights_per_week: number
  minutes: number
  bedtime: string | null
  from: string
}

interface Procedure {
  query: (input: object) => Promise<unknown>
  mutate: (input: object) => Promise<unknown>
}

const procedure = (name: string): Procedure => Reflect.get(Reflect.get(companion.trpc, 'clinics'), name)

export const clinicCalls = {
  children: async (input: ListInput) => (await procedure('listChildren').query(input)) as ChildPage,
  updateChild: async (input: {
    clinic_id: number
    real_user_id: number
    record_number?: string | null
    is_seen?: boolean
  }) => (await procedure('updatePlace').mutate(input)) as ClinicChild,
  setPlan: (input: { clinic_id: number; real_user_id: number } & NewPlan) =>
    procedure('planNights').mutate(input),
}
