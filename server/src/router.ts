import type { AnyProcedure, inferProcedureOutput, TRPCBuiltRouter } from '@trpc/server'
import { account } from './account/index.ts'
import { auth } from './auth/index.ts'
import { basestations } from './basestations/index.ts'
import { calendar } from './calendar/index.ts'
import { changes } from './changes/index.ts'
import { charts } from './charts/index.ts'
import { children } from './children/index.ts'
import { grants } from './grants/index.ts'
import { devices } from './devices/index.ts'
import { devlogs } from './devlogs/index.ts'
import type { AnsweredFile } from './http/context.ts'
import { router } from './http/endpoint.ts'
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
  devlogs,
  treatments,
  charts,
  surveys,
  calendar,
  reports,
  shares,
  grants,
  changes,
  webhooks,
})

export type AppRouter = typeof appRouter

type Rooms = AppRouter['_def']['record']

/** The name of an operation, `auth.signIn`: its room and its key in there. */
export type OperationPath = {
  [Room in keyof Rooms]: `${Room}.${Extract<keyof Rooms[Room], string>}`
}[keyof Rooms]

/** The name of an operation that tRPC does not serve, because its answer is a file. */
type FileIn<Room> = {
  [Name in keyof Room]: Room[Name] extends AnyProcedure
    ? inferProcedureOutput<Room[Name]> extends AnsweredFile
      ? Name
      : never
    : never
}[keyof Room]

type RoomsOfTrpc = {
  [
    Room in keyof Rooms as [Exclude<keyof Rooms[Room], FileIn<Rooms[Room]>>] extends [never] ? never : Room
  ]: Omit<Rooms[Room], FileIn<Rooms[Room]>>
}

/** The router as a plain client of tRPC may call it: without the operations that answer a file. */
export type TrpcRouter = TRPCBuiltRouter<AppRouter['_def']['_config']['$types'], RoomsOfTrpc>

export type { Refusal } from './http/context.ts'
export type { ValidationIssue } from './http/validation-issues.ts'
