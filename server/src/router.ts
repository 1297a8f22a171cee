import { account } from './account/index.ts'
import { auth } from './auth/index.ts'
import { basestations } from './basestations/index.ts'
import { calendar } from './calendar/index.ts'
import { charts } from './charts/index.ts'
import { children } from './children/index.ts'
import { devices } from './devices/index.ts'
import { devlogs } from './devlogs/index.ts'
import { router } from './http/endpoint.ts'
import { reports } from './reports/index.ts'
import { shares } from './shares/index.ts'
import { surveys } from './surveys/index.ts'
import { treatments } from './treatments/index.ts'

/** The router of all operations, from which REST paths, the OpenAPI document and the SDK's types are derived. */
export const appRouter = router({
  auth,
  account,
  children,
  devices,
  basestations,
  devlogs,
  treatments,
  charts,
  surveys,
  calendar,
  reports,
  shares,
})

export type AppRouter = typeof appRouter

type Rooms = AppRouter['_def']['record']

/** The name of an operation, `auth.signIn`: its room and its key in there. */
export type OperationPath = {
  [Room in keyof Rooms]: `${Room}.${Extract<keyof Rooms[Room], string>}`
}[keyof Rooms]

export type { Refusal } from './http/context.ts'
export type { ValidationIssue } from './http/validation-issues.ts'
