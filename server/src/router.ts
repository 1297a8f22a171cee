import type { AnyProcedure, inferProcedureOutput, TRPCBuiltRouter } from '@trpc/server'
import { account } from './account/index.ts'
import { auth } from './auth/index.ts'
import { basestations } from './basestations/index.ts'
import { calendar } from './calendar/index.ts'
import { changes } from './changes/index.ts'
import { charts } from './charts/index.ts'
import { children } from './children/index.ts'
import { clinics } from './clinics/index.ts'
import { grants } from './grants/index.ts'
import { devices } from './devices/index.ts'
import { devlogs } from './devlogs/index.ts'
import { firmware } from './firmware/index.ts'
import type { ResponseFile } from './http/context.ts'
import { router } from './http/endpoint.ts'
import { nights } from './nights/index.ts'
import { plans } from './plans/index.ts'
import { reports } from './reports/index.ts'
import { shares } from './shares/index.ts'
import { surveys } from './surveys/index.ts'
import { treatments } from './treatments/index.ts'
import { webhooks } from './webhooks/index.ts'

/** The router of all operations, from which REST paths, the OpenAPI document and the SDK's types are derived. */
export const appRouter = router({
  auth,
  account,
  children,
  devices,
  basestations,
  firmware,
  devlogs,
  treatments,
  charts,
  plans,
  nights,
  surveys,
  calendar,
  reports,
  shares,
  clinics,
  grants,
  changes,
  webhooks,
})

export type AppRouter = typeof appRouter

type Modules = AppRouter['_def']['record']

/** The name of an operation, `auth.signIn`: its module and its key in there. */
export type OperationPath = {
  [Module in keyof Modules]: `${Module}.${Extract<keyof Modules[Module], string>}`
}[keyof Modules]

/** The name of an operation that tRPC does not serve, because its response is a file. */
type FileIn<Module> = {
  [Name in keyof Module]: Module[Name] extends AnyProcedure
    ? inferProcedureOutput<Module[Name]> extends ResponseFile
      ? Name
      : never
    : never
}[keyof Module]

type ModulesOfTrpc = {
  [
    Module in keyof Modules as [Exclude<keyof Modules[Module], FileIn<Modules[Module]>>] extends [never]
      ? never
      : Module
  ]: Omit<Modules[Module], FileIn<Modules[Module]>>
}

/** The router as a plain client of tRPC may call it: without the operations that answer a file. */
export type TrpcRouter = TRPCBuiltRouter<AppRouter['_def']['_config']['$types'], ModulesOfTrpc>

export type { DeclaredError } from './http/context.ts'
export type { ValidationIssue } from './http/validation-issues.ts'
