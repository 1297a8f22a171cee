import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/browser'
import { companion } from './client'

/* The operations of clinics. This file gives way to the methods that the SDK generates for them. */

export type ClinicRole = 'admin' | 'clinician'

export interface Membership {
  clinic_id: number
  name: string
  role: ClinicRole
}

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

export interface Members {
  members: { member_id: number; first_name: string; email: string; role: ClinicRole; since: string }[]
  invitations: { invitation_id: number; email: string; role: ClinicRole; expires_at: string }[]
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

const procedure = (module: 'auth' | 'clinics', name: string): Procedure =>
  Reflect.get(Reflect.get(companion.trpc, module), name)

async function query<Output>(name: string, input: object): Promise<Output> {
  return (await procedure('clinics', name).query(input)) as Output
}

async function mutate<Output>(module: 'auth' | 'clinics', name: string, input: object): Promise<Output> {
  return (await procedure(module, name).mutate(input)) as Output
}

export const clinicCalls = {
  openInvitation: (token: string) =>
    mutate<{
      email: string
      clinic: { clinic_id: number; name: string }
      challenge_id: string
      options: PublicKeyCredentialCreationOptionsJSON
    }>('auth', 'openClinicianInvitation', { token }),
  signUp: (input: {
    token: string
    challenge_id: string
    first_name: string
    credential: RegistrationResponseJSON
  }) => mutate<unknown>('auth', 'clinicianSignUp', input),
  signInOptions: () =>
    mutate<{ challenge_id: string; options: PublicKeyCredentialRequestOptionsJSON }>(
      'auth',
      'passkeySignInOptions',
      {},
    ),
  signIn: (input: { challenge_id: string; credential: AuthenticationResponseJSON }) =>
    mutate<unknown>('auth', 'passkeySignIn', input),
  memberships: () => query<Membership[]>('listMemberships', {}),
  children: (input: ListInput) => query<ChildPage>('listChildren', input),
  updateChild: (input: {
    clinic_id: number
    real_user_id: number
    record_number?: string | null
    is_seen?: boolean
  }) => mutate<ClinicChild>('clinics', 'updateChild', input),
  setPlan: (input: { clinic_id: number; real_user_id: number } & NewPlan) =>
    mutate<unknown>('clinics', 'setPlan', input),
  members: (clinic_id: number) => query<Members>('listMembers', { clinic_id }),
  invite: (input: { clinic_id: number; email: string; role: ClinicRole }) =>
    mutate<unknown>('clinics', 'inviteMember', input),
  removeMember: (input: { clinic_id: number; member_id: number }) =>
    mutate<unknown>('clinics', 'removeMember', input),
}
