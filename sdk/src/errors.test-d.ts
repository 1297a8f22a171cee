import { expectTypeOf, test } from 'vitest'
import type { TRPCPromise } from '@trpc/client'
import type { ServiceTrpc } from './file-link.ts'
import { createCompanion, errorResponseOf, safe } from './index.ts'
import type {
  CompanionCall,
  CompanionTrpc,
  Changes,
  Child,
  Companion,
  CompanionFile,
  CompanionStorage,
  Devlog,
  OutboxItem,
  RecentChart,
  SaveEventInput,
  SignUpInput,
  SocialSignUpInput,
  ValidationIssue,
} from './index.ts'

const companion: Companion = createCompanion({ baseUrl: 'https://companion.test' })
const profile = { first_name: 'Mina', last_name: '', birthdate: '20180203', gender: 'F' } as const
const device = { serial_code: 'CMP-000123', mac_id: '1A2B', unique_id: '' }

/** Compiles only when no case is left. */
const nothing = (left: never): never => left

test('a switch over the statuses of an operation is whole only with every one of them', async () => {
  const [output, error] = await safe(companion.auth.signIn({ username: '', password: '' }))
  if (!error) {
    expectTypeOf(output.id).toEqualTypeOf<number>()
    expectTypeOf(output.token_type).toEqualTypeOf<'bearer'>()
    return
  }
  const { data } = error
  if (!data) return
  switch (data.status) {
    case 400:
      expectTypeOf(data.detail).toEqualTypeOf<'Password is invalid' | 'Request body is not valid JSON'>()
      break
    case 401:
      expectTypeOf(data.detail).toEqualTypeOf<'Sign-up not completed'>()
      break
    case 403:
      expectTypeOf(data.detail).toEqualTypeOf<'SMS verification required'>()
      break
    case 404:
      expectTypeOf(data.detail).toEqualTypeOf<'User not found' | 'Resource not found'>()
      break
    case 410:
      expectTypeOf(data.detail).toEqualTypeOf<'User is Deleted'>()
      break
    case 423:
      expectTypeOf(data.detail).toEqualTypeOf<'Access denied. Account blocked'>()
      break
    case 422:
      expectTypeOf(data.detail).toEqualTypeOf<
        ValidationIssue[] | 'Idempotency key was used for another request'
      >()
      break
    case 405:
    case 409:
    case 413:
    case 415:
    case 426:
    case 429:
    case 500:
    case 503:
      expectTypeOf(data.detail).toExtend<string>()
      break
    default:
      nothing(data)
  }
  switch (data.status) {
    case 400:
    case 401:
    case 403:
    case 404:
    case 410:
    case 422:
    case 405:
    case 409:
    case 413:
    case 415:
    case 426:
    case 429:
    case 500:
    case 503:
      break
    default:
      // @ts-expect-error 423 was forgotten
      nothing(data)
  }
})

type Generic = 400 | 404 | 405 | 409 | 413 | 415 | 422 | 426 | 429 | 500 | 503
type Detail<Data, Status> = Extract<Data, { status: Status }> extends { detail: infer Text } ? Text : never

test('every operation has its own statuses and details and the general ones, no other', async () => {
  const { auth, account, calendar, children, devlogs, charts } = companion
  type Of<Call extends Promise<readonly [unknown, { data?: unknown } | undefined]>> = NonNullable<
    NonNullable<Awaited<Call>[1]>['data']
  >

  const sms = safe(auth.sendSmsCode({ phone: '' }))
  expectTypeOf<Of<typeof sms>['status']>().toEqualTypeOf<Generic | 409>()
  expectTypeOf<Detail<Of<typeof sms>, 409>>().toEqualTypeOf<
    'Phone number is already registered' | 'Failed to send SMS' | 'Request is in progress'
  >()
  expectTypeOf<Detail<Of<typeof sms>, 400>>().toEqualTypeOf<
    'Phone number is invalid' | 'Request body is not valid JSON'
  >()

  const verified = safe(auth.verifyPhone({ phone: '', validnum: '' }))
  expectTypeOf<Of<typeof verified>['status']>().toEqualTypeOf<Generic | 403 | 409>()
  expectTypeOf<Detail<Of<typeof verified>, 400>>().toEqualTypeOf<
    | 'Phone number is invalid'
    | 'Validation code is expired'
    | 'Validation code is invalid'
    | 'Request body is not valid JSON'
  >()

  const signedUp = safe(auth.signUp({} as SignUpInput))
  expectTypeOf<Of<typeof signedUp>['status']>().toEqualTypeOf<Generic | 401 | 409>()
  expectTypeOf<Detail<Of<typeof signedUp>, 401>>().toEqualTypeOf<'Token is invalid'>()
  expectTypeOf<Detail<Of<typeof signedUp>, 500>>().toEqualTypeOf<
    'Failed to sign up user' | 'Internal server error. Please try again later.'
  >()

  const me = safe(account.me())
  type TokenError = 'Could not validate credentials' | 'Token is expired' | 'User is None' | 'User is Deleted'
  expectTypeOf<Of<typeof me>['status']>().toEqualTypeOf<Generic | 401 | 403 | 423>()
  expectTypeOf<Detail<Of<typeof me>, 401>>().toEqualTypeOf<TokenError>()

  const deleted = safe(account.delete())
  expectTypeOf<Of<typeof deleted>['status']>().toEqualTypeOf<Generic | 401 | 403 | 423>()
  expectTypeOf<Detail<Of<typeof deleted>, 404>>().toEqualTypeOf<
    'Sign in type is not found' | 'Resource not found'
  >()

  const created = safe(children.create({ ...profile, ...device }))
  expectTypeOf<Of<typeof created>['status']>().toEqualTypeOf<Generic | 401 | 403 | 409 | 423>()
  expectTypeOf<Detail<Of<typeof created>, 409>>().toEqualTypeOf<
    'Already Connected Device' | 'Real user create failed' | 'Request is in progress'
  >()

  const child = safe(children.read({ real_user_id: 1 }))
  expectTypeOf<Of<typeof child>['status']>().toEqualTypeOf<Generic | 401 | 403 | 423>()
  expectTypeOf<Detail<Of<typeof child>, 401>>().toEqualTypeOf<TokenError | 'Not authorized user'>()

  const uploaded = safe(devlogs.upload([]))
  expectTypeOf<Of<typeof uploaded>['status']>().toEqualTypeOf<Generic | 401 | 403 | 409 | 423>()
  expectTypeOf<Detail<Of<typeof uploaded>, 404>>().toEqualTypeOf<'Not Found Device' | 'Resource not found'>()

  const note = safe(calendar.saveEvent({ real_user_id: 1, created_at: '' }))
  expectTypeOf<Of<typeof note>['status']>().toEqualTypeOf<Generic | 401 | 403 | 412 | 423>()
  expectTypeOf<Detail<Of<typeof note>, 404>>().toEqualTypeOf<
    'Event not found' | 'Real User id is not valid' | 'Resource not found'
  >()

  const chart = safe(charts.recent({ real_user_id: 1 }))
  expectTypeOf<Of<typeof chart>['status']>().toEqualTypeOf<Generic | 401 | 403 | 423>()
})

test('each method answers and is refused as the procedure of the router says', () => {
  type Modules = Omit<Companion, 'outbox' | 'session' | 'trpc'>
  type OfMethod<Method> = Method extends (...input: never[]) => CompanionCall<infer Output, infer Errors>
    ? { output: Output; errors: Errors }
    : never
  type OfProcedure<Procedure> = Procedure extends
    | { query: (...input: never[]) => TRPCPromise<infer Output, infer Shape> }
    | { mutate: (...input: never[]) => TRPCPromise<infer Output, infer Shape> }
    ? { output: Output; errors: Shape extends { data: infer Data } ? Data : never }
    : never
  type Alike<One, Other> = [One, Other] extends [Other, One] ? true : false
  type Different<Method, Procedure> =
    Alike<OfMethod<Method>['errors'], OfProcedure<Procedure>['errors']> extends true
      ? OfMethod<Method>['output'] extends OfProcedure<Procedure>['output'] | CompanionFile
        ? never
        : 'answer'
      : 'error'
  type Found = {
    [Module in keyof Modules]: {
      [Name in keyof Modules[Module]]: Modules[Module][Name] extends (
        ...input: never[]
      ) => AsyncIterableIterator<unknown>
        ? never
        : Name extends keyof ServiceTrpc[Module]
          ? Different<Modules[Module][Name], ServiceTrpc[Module][Name]>
          : 'procedure'
    }[keyof Modules[Module]]
  }[keyof Modules]
  expectTypeOf<Found>().toEqualTypeOf<never>()
  expectTypeOf<
    Different<Companion['auth']['signIn'], CompanionTrpc['auth']['signUp']>
  >().toEqualTypeOf<'error'>()
  expectTypeOf<
    Different<Companion['account']['delete'], CompanionTrpc['account']['me']>
  >().toEqualTypeOf<'error'>()
  expectTypeOf<
    Different<Companion['account']['listConsents'], CompanionTrpc['devices']['list']>
  >().toEqualTypeOf<'answer'>()
})

test('the raw client has every operation but those that answer a file', () => {
  expectTypeOf<keyof CompanionTrpc['devlogs']>().toEqualTypeOf<
    Exclude<keyof ServiceTrpc['devlogs'], 'export'>
  >()
  expectTypeOf<Exclude<keyof ServiceTrpc, keyof CompanionTrpc>>().toEqualTypeOf<'reports'>()
})

test('files have the errors of their operations too', async () => {
  const [report, error] = await safe(
    companion.reports.pdf({ real_user_id: 1, basestation_id: 1, start_date: '', end_date: '' }),
  )
  if (!error) {
    expectTypeOf(report).toEqualTypeOf<CompanionFile>()
    return
  }
  type ErrorResponse = NonNullable<typeof error.data>
  expectTypeOf<ErrorResponse['status']>().toEqualTypeOf<Generic | 401 | 403 | 423>()
  expectTypeOf<Detail<ErrorResponse, 403>>().toEqualTypeOf<
    'This device does not belong to the user' | 'Insufficient scope'
  >()
  expectTypeOf<Detail<ErrorResponse, 404>>().toEqualTypeOf<
    'Real user is not found' | 'Device not found' | 'Resource not found'
  >()

  const [sheet, refused] = await safe(
    companion.devlogs.export({ unique_id: '', start_date: '', end_date: '' }, { onProgress: () => {} }),
  )
  expectTypeOf(sheet).toEqualTypeOf<CompanionFile | undefined>()
  type Unexported = NonNullable<NonNullable<typeof refused>['data']>
  expectTypeOf<Unexported['status']>().toEqualTypeOf<Generic>()
  expectTypeOf<Detail<Unexported, 500>>().toEqualTypeOf<
    'Internal error while deleting device logs' | 'Internal server error. Please try again later.'
  >()
  // @ts-expect-error a report takes a mode
  void companion.reports.exportPdf({ real_user_id: 1, current_date: '' })
})

test('an item of the outbox is a note or a log', async () => {
  const [item] = await companion.outbox.list()
  if (item?.kind === 'event') expectTypeOf(item.input).toEqualTypeOf<SaveEventInput>()
  else expectTypeOf<Extract<OutboxItem, { kind: 'devlog' }>['input']>().toEqualTypeOf<Devlog>()
  // @ts-expect-error a note is of a child
  void companion.outbox.saveEvent({ created_at: '2026-03-01' })
})

test('outside of operations safe knows the response, and that there is an error', async () => {
  const [items, error] = await safe(companion.outbox.list())
  if (error) expectTypeOf(error).toEqualTypeOf<Error>()
  else expectTypeOf(items).toEqualTypeOf<readonly OutboxItem[]>()
  expectTypeOf(errorResponseOf(error)).toEqualTypeOf<
    { status: number; detail: string | ValidationIssue[] } | undefined
  >()
})

test('an input that the service would refuse does not compile', () => {
  const { charts, calendar, devlogs, reports, auth } = companion
  // @ts-expect-error modes are 0 and 1
  void charts.recent({ real_user_id: 1, select_mode: 2 })
  // @ts-expect-error modes are 0 and 1
  void charts.analysis({ real_user_id: 1, select_mode: 2 })
  // @ts-expect-error modes are 0 to 3
  void calendar.history({ real_user_id: 1, select_mode: 4 })
  // @ts-expect-error modes are 0 to 3
  void devlogs.history({ unique_id: '', select_mode: 4 })
  // @ts-expect-error modes are 0 to 2
  void reports.exportPdf({ real_user_id: 1, current_date: '', select_mode: 3 })
  // @ts-expect-error only REST takes digits
  void calendar.saveEvent({ real_user_id: '1', created_at: '' })
  // @ts-expect-error `S` is for social sign-up
  void auth.signUp({ ...({} as SignUpInput), register_type: 'S' })
  expectTypeOf<SaveEventInput['real_user_id']>().toEqualTypeOf<number>()
  // @ts-expect-error `E` is for sign-up by e-mail
  void auth.socialSignUp({ ...({} as SocialSignUpInput), register_type: 'E' })
})

test('answers are what the named types say', () => {
  expectTypeOf(companion.children.read).returns.resolves.toEqualTypeOf<Child>()
  expectTypeOf(companion.charts.recent).returns.resolves.toEqualTypeOf<RecentChart>()
  expectTypeOf<RecentChart['treatment_time_data'][number]>().toEqualTypeOf<{
    treatment_date: string
    treatment_time: number
  }>()
})

test('sign-up cannot be called without the token of the verified phone', () => {
  expectTypeOf(companion.auth.signUp).parameter(0).toEqualTypeOf<SignUpInput>()
  const { valid_token: _token, ...rest } = {} as SignUpInput
  // @ts-expect-error valid_token is missing
  void companion.auth.signUp(rest)
  // @ts-expect-error a child may be N, an account may not at sign-up
  void companion.auth.signUp({ ...rest, valid_token: '', gender: 'N' })
})

test('the kind of a change says whether it has a date', () => {
  const dayOf = (change: Changes['items'][number]): string | undefined => {
    switch (change.kind) {
      case 'treatment.stored':
      case 'note.saved':
      case 'plan.changed':
        return change.date
      case 'survey.submitted':
        expectTypeOf(change.date).toBeNull()
        return undefined
      default:
        return change.date ?? undefined
    }
  }
  expectTypeOf(dayOf).returns.toEqualTypeOf<string | undefined>()
})

test('AsyncStorage and localStorage are storages as they are', () => {
  interface AsyncStorage {
    getItem(
      key: string,
      callback?: (error?: Error | null, result?: string | null) => void,
    ): Promise<string | null>
    setItem(key: string, value: string, callback?: (error?: Error | null) => void): Promise<void>
    removeItem(key: string, callback?: (error?: Error | null) => void): Promise<void>
  }
  interface LocalStorage {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  }
  expectTypeOf<AsyncStorage>().toExtend<CompanionStorage>()
  expectTypeOf<LocalStorage>().toExtend<CompanionStorage>()
})
