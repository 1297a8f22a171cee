import type { TRPCClient } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter, DeclaredError, TrpcRouter, ValidationIssue } from '@companion/server/router'

export type { DeclaredError, TrpcRouter, ValidationIssue }

/** The typed tRPC client with every operation but those that answer a file; the type of `companion.trpc`. */
export type CompanionTrpc = TRPCClient<TrpcRouter>

type Inputs = inferRouterInputs<AppRouter>
/** What each operation answers, by module and name. */
export type Outputs = inferRouterOutputs<AppRouter>

/**
 * Narrows an input to the values that make sense. The service declares a wider type, to refuse the rest with its own
 * texts.
 */
type Narrowed<Input, Fields> = Omit<Input, keyof Fields> & Fields
interface ChartWindow {
  /** 0: 7 days (default), 1: 30 days. */
  select_mode?: 0 | 1 | undefined
}
interface CalendarPeriod {
  /** 0: week (default), 1: month, 2: quarter, 3: year. */
  select_mode?: 0 | 1 | 2 | 3 | undefined
}

/** A country whose phone numbers get codes, with the calling code with which they begin. */
export type PhoneCountry = Outputs['auth']['listPhoneCountries'][number]
export type VerifiedPhone = Outputs['auth']['verifyPhone']
/** What of the response of `verifyPhone` a sign-up needs. */
type ProvenPhone = Pick<VerifiedPhone, 'valid_token'>
/** The token of `verifyPhone` and the data of the new account in one object. */
export type SignUpInput = ProvenPhone &
  Narrowed<
    Inputs['auth']['signUp'],
    {
      /** Registers by e-mail. */
      register_type: 'E'
    }
  >
/** The token of `verifyPhone`, the new account's data and the provider's ID token in one. */
export type SocialSignUpInput = ProvenPhone &
  Narrowed<
    Inputs['auth']['socialSignUp'],
    {
      /** Registers by a social provider. */
      register_type: 'S'
    }
  >
/** Tokens with their lives in seconds; the client keeps them by itself. */
export type TokenResponse = Outputs['auth']['signIn']
export type FoundAccount = Outputs['auth']['findAccount']
/** The response of calls that only confirm success. */
export type Done = Outputs['auth']['signOut']

export type Account = Outputs['account']['me']
export type UpdatedAccount = Outputs['account']['update']
export type Policy = Outputs['account']['updatePolicy']
export type Notifications = Outputs['account']['updateNotifications']

export type CreatedChild = Outputs['children']['create']
export type Child = Outputs['children']['read']
/** An own or shared child, with the role of the account. */
export type ListedChild = Outputs['children']['list'][number]
/** What a device runs, and what it is offered. */
export type FirmwareCheck = Outputs['firmware']['check']
/** `real_user_id` names the child; absent fields stay as they are. */
export type UpdateChildInput = Omit<Inputs['children']['update'], 'id'>

/** One line of the ledger of consents. */
export type Consent = Outputs['account']['giveConsent']

export type Invitation = Outputs['shares']['invite']
export type AcceptedShare = Outputs['shares']['accept']
/** The members of a child, and its open invitations. */
export type Shares = Outputs['shares']['list']
/** A page of the record of who has reached a child's data. */
export type ShareAccessPage = Outputs['shares']['access']

/** What the account has granted another service. */
export type Grant = Outputs['grants']['list'][number]
/** What has changed since the last call. */
export type Changes = Outputs['changes']['list']
export type ListChangesInput = Inputs['changes']['list']

/** Where a service is told of changes; the operations are for services with a token of their own. */
export type Webhook = Outputs['webhooks']['enable']
/** With its secret, which is answered once. */
export type WebhookWithSecret = Outputs['webhooks']['create']

/** What the devices of a child recorded: one page. */
export type TreatmentPage = Outputs['treatments']['list']
export type ListTreatmentsInput = Inputs['treatments']['list']

/** `unique_id` is absent where the child is shared by another account. */
export type Device = Outputs['devices']['list'][number]
/** A device as its owner connects it, with its `unique_id`. */
export type ConnectedDevice = Outputs['devices']['connect']
export type DeviceTime = Outputs['devices']['time']

/** `unique_id` is absent where it is another account's. */
export type Basestation = Outputs['basestations']['list'][number]
/** A base station as its owner connects it, with its `unique_id`. */
export type ConnectedBasestation = Outputs['basestations']['connect']
/** A measurement of a base station. */
export type EnvironmentReading = Inputs['basestations']['uploadEnvironment']['items'][number]

/** One usage log as a device writes it. */
export type Devlog = Inputs['devlogs']['upload']['items'][number]
export type DevlogsUploaded = Outputs['devlogs']['upload']
export type DeleteDevlogsInput = Inputs['devlogs']['delete']
export type DeviceHistoryInput = Narrowed<Inputs['devlogs']['history'], CalendarPeriod>
export type DeviceHistory = Outputs['devlogs']['history']
export type DeviceDayInput = Inputs['devlogs']['detail']
export type DeviceDay = Outputs['devlogs']['detail']
export type ExportDevlogsInput = Inputs['devlogs']['export']

export type RecentChartInput = Narrowed<Inputs['charts']['recent'], ChartWindow>
export type RecentChart = Outputs['charts']['recent']
export type AnalysisChartInput = Narrowed<Inputs['charts']['analysis'], ChartWindow>
export type AnalysisChart = Outputs['charts']['analysis']

export type SubmittedSurvey = Outputs['surveys']['submit']
export type LatestSurveysInput = Inputs['surveys']['latest']
export type LatestSurveys = Outputs['surveys']['latest']

export type CalendarHistoryInput = Narrowed<Inputs['calendar']['history'], CalendarPeriod>
export type CalendarHistory = Outputs['calendar']['history']
export type CalendarDay = Outputs['calendar']['readDay']
export type SaveEventInput = Narrowed<Inputs['calendar']['saveEvent'], { real_user_id: number }>
export type SavedEvent = Outputs['calendar']['saveEvent']

export type ReportInput = Inputs['reports']['pdf']
export type ExportReportInput = Narrowed<
  Inputs['reports']['exportPdf'],
  {
    /** 0: one month, 1: two months, 2: three months. */
    select_mode: 0 | 1 | 2
  }
>
