/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import { authMethods } from './auth.ts'
import { accountMethods } from './account.ts'
import { childrenMethods } from './children.ts'
import { devicesMethods } from './devices.ts'
import { basestationsMethods } from './basestations.ts'
import { firmwareMethods } from './firmware.ts'
import { devlogsMethods } from './devlogs.ts'
import { treatmentsMethods } from './treatments.ts'
import { chartsMethods } from './charts.ts'
import { plansMethods } from './plans.ts'
import { nightsMethods } from './nights.ts'
import { surveysMethods } from './surveys.ts'
import { calendarMethods } from './calendar.ts'
import { reportsMethods } from './reports.ts'
import { sharesMethods } from './shares.ts'
import { clinicsMethods } from './clinics.ts'
import { grantsMethods } from './grants.ts'
import { changesMethods } from './changes.ts'
import { webhooksMethods } from './webhooks.ts'
import type { AuthOperations } from './auth.ts'
import type { AccountOperations } from './account.ts'
import type { ChildrenOperations } from './children.ts'
import type { DevicesOperations } from './devices.ts'
import type { BasestationsOperations } from './basestations.ts'
import type { FirmwareOperations } from './firmware.ts'
import type { DevlogsOperations } from './devlogs.ts'
import type { TreatmentsOperations } from './treatments.ts'
import type { ChartsOperations } from './charts.ts'
import type { PlansOperations } from './plans.ts'
import type { NightsOperations } from './nights.ts'
import type { SurveysOperations } from './surveys.ts'
import type { CalendarOperations } from './calendar.ts'
import type { ReportsOperations } from './reports.ts'
import type { SharesOperations } from './shares.ts'
import type { ClinicsOperations } from './clinics.ts'
import type { GrantsOperations } from './grants.ts'
import type { ChangesOperations } from './changes.ts'
import type { WebhooksOperations } from './webhooks.ts'
import { createMethods } from '../create-methods.ts'
import type { RawClient } from '../raw-client.ts'

/** The operations of the service, a module for each feature. */
export interface Modules {
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
  /** New firmware for devices, in steps. */
  firmware: FirmwareOperations
  /** The nights that devices upload, as usage logs. */
  devlogs: DevlogsOperations
  /** What the devices of one child recorded. */
  treatments: TreatmentsOperations
  /** Use, intensity and movement of one child over time. */
  charts: ChartsOperations
  /** What is planned for the nights of one child. */
  plans: PlansOperations
  /** How the nights of one child go. */
  nights: NightsOperations
  /** Scores of answered surveys. */
  surveys: SurveysOperations
  /** Days with treatments, and the notes of a day (events). */
  calendar: CalendarOperations
  /** Reports as files. */
  reports: ReportsOperations
  /** Who may see a child besides its owner, and who has. */
  shares: SharesOperations
  /** The clinics that parents have let in, who works there, and their children. */
  clinics: ClinicsOperations
  /** The services that the account has let in. */
  grants: GrantsOperations
  /** What has changed since the last look. */
  changes: ChangesOperations
  /** Where a service is told that there are changes. */
  webhooks: WebhooksOperations
}

export const openModules = (client: RawClient): Modules =>
  createMethods<Modules>(client, {
    auth: authMethods,
    account: accountMethods,
    children: childrenMethods,
    devices: devicesMethods,
    basestations: basestationsMethods,
    firmware: firmwareMethods,
    devlogs: devlogsMethods,
    treatments: treatmentsMethods,
    charts: chartsMethods,
    plans: plansMethods,
    nights: nightsMethods,
    surveys: surveysMethods,
    calendar: calendarMethods,
    reports: reportsMethods,
    shares: sharesMethods,
    clinics: clinicsMethods,
    grants: grantsMethods,
    changes: changesMethods,
    webhooks: webhooksMethods,
  })
