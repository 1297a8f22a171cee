/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import { authOperations } from './auth.ts'
import { accountOperations } from './account.ts'
import { childrenOperations } from './children.ts'
import { devicesOperations } from './devices.ts'
import { basestationsOperations } from './basestations.ts'
import { devlogsOperations } from './devlogs.ts'
import { treatmentsOperations } from './treatments.ts'
import { chartsOperations } from './charts.ts'
import { surveysOperations } from './surveys.ts'
import { calendarOperations } from './calendar.ts'
import { reportsOperations } from './reports.ts'
import { sharesOperations } from './shares.ts'
import { grantsOperations } from './grants.ts'
import { changesOperations } from './changes.ts'
import { webhooksOperations } from './webhooks.ts'
import type { AuthOperations } from './auth.ts'
import type { AccountOperations } from './account.ts'
import type { ChildrenOperations } from './children.ts'
import type { DevicesOperations } from './devices.ts'
import type { BasestationsOperations } from './basestations.ts'
import type { DevlogsOperations } from './devlogs.ts'
import type { TreatmentsOperations } from './treatments.ts'
import type { ChartsOperations } from './charts.ts'
import type { SurveysOperations } from './surveys.ts'
import type { CalendarOperations } from './calendar.ts'
import type { ReportsOperations } from './reports.ts'
import type { SharesOperations } from './shares.ts'
import type { GrantsOperations } from './grants.ts'
import type { ChangesOperations } from './changes.ts'
import type { WebhooksOperations } from './webhooks.ts'
import { fromCaller } from '../call-site.ts'
import type { ServiceTrpc } from '../file-link.ts'

/** The operations of the service, a room for each feature. */
export interface Rooms {
  /** Phone verification, sign-up, sign-in and sessions. */
  auth: AuthOperations
  /** The signed-in account holder (root user). */
  account: AccountOperations
  /** Child accounts (real users). */
  children: ChildrenOperations
  /** The devices that children wear. */
  devices: DevicesOperations
  /** Base stations and what they measure. */
  basestations: BasestationsOperations
  /** Usage logs of devices. */
  devlogs: DevlogsOperations
  /** What the devices of one child recorded. */
  treatments: TreatmentsOperations
  /** Use, intensity and movement of one child over time. */
  charts: ChartsOperations
  /** Scores of answered surveys. */
  surveys: SurveysOperations
  /** Days with treatments, and the notes of a day (events). */
  calendar: CalendarOperations
  /** Reports as files. */
  reports: ReportsOperations
  /** Who may see a child besides its owner, and who has. */
  shares: SharesOperations
  /** The services that the account has let in. */
  grants: GrantsOperations
  /** What has changed since the last look. */
  changes: ChangesOperations
  /** Where a service is told that there are changes. */
  webhooks: WebhooksOperations
}

export const openRooms = (trpc: ServiceTrpc): Rooms => ({
  auth: fromCaller(authOperations(trpc)),
  account: fromCaller(accountOperations(trpc)),
  children: fromCaller(childrenOperations(trpc)),
  devices: fromCaller(devicesOperations(trpc)),
  basestations: fromCaller(basestationsOperations(trpc)),
  devlogs: fromCaller(devlogsOperations(trpc)),
  treatments: fromCaller(treatmentsOperations(trpc)),
  charts: fromCaller(chartsOperations(trpc)),
  surveys: fromCaller(surveysOperations(trpc)),
  calendar: fromCaller(calendarOperations(trpc)),
  reports: fromCaller(reportsOperations(trpc)),
  shares: fromCaller(sharesOperations(trpc)),
  grants: fromCaller(grantsOperations(trpc)),
  changes: fromCaller(changesOperations(trpc)),
  webhooks: fromCaller(webhooksOperations(trpc)),
})
