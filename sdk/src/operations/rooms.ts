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
import type { Calls } from '../safe.ts'
import type { CompanionTrpc } from '../types.ts'

/** The operations of the service, a room for each feature. */
export interface Rooms {
  /** Phone verification, sign-up, sign-in and sessions. */
  auth: Calls<ReturnType<typeof authOperations>>
  /** The signed-in account holder (root user). */
  account: Calls<ReturnType<typeof accountOperations>>
  /** Child accounts (real users). */
  children: Calls<ReturnType<typeof childrenOperations>>
  /** The devices that children wear. */
  devices: Calls<ReturnType<typeof devicesOperations>>
  /** Base stations and what they measure. */
  basestations: Calls<ReturnType<typeof basestationsOperations>>
  /** Usage logs of devices. */
  devlogs: Calls<ReturnType<typeof devlogsOperations>>
  /** What the devices of one child recorded. */
  treatments: Calls<ReturnType<typeof treatmentsOperations>>
  /** Use, intensity and movement of one child over time. */
  charts: Calls<ReturnType<typeof chartsOperations>>
  /** Scores of answered surveys. */
  surveys: Calls<ReturnType<typeof surveysOperations>>
  /** Days with treatments, and the notes of a day (events). */
  calendar: Calls<ReturnType<typeof calendarOperations>>
  /** Reports as files. */
  reports: Calls<ReturnType<typeof reportsOperations>>
  /** Who may see a child besides its owner, and who has. */
  shares: Calls<ReturnType<typeof sharesOperations>>
}

export const openRooms = (trpc: CompanionTrpc): Rooms => ({
  auth: authOperations(trpc),
  account: accountOperations(trpc),
  children: childrenOperations(trpc),
  devices: devicesOperations(trpc),
  basestations: basestationsOperations(trpc),
  devlogs: devlogsOperations(trpc),
  treatments: treatmentsOperations(trpc),
  charts: chartsOperations(trpc),
  surveys: surveysOperations(trpc),
  calendar: calendarOperations(trpc),
  reports: reportsOperations(trpc),
  shares: sharesOperations(trpc),
})
