import type { Companion, CompanionCall, CompanionFile } from '@companion/sdk'
import { SESSION_STARTING_OPERATIONS } from '../src/operation-kinds.ts'
import { FILES, NEEDS_NO_SESSION } from '../src/operations/kinds.ts'
import { answer, cut, refuse, serviceInMemory } from './service-in-memory.ts'
import type { Sent } from './service-in-memory.ts'

type Modules = Omit<Companion, 'outbox' | 'session' | 'trpc'>

/** The names of the operations, such as `auth.signIn`. */
export type OperationName = {
  [Module in keyof Modules]: `${Module}.${Extract<keyof Modules[Module], string>}`
}[keyof Modules]

type MethodOf<Name extends OperationName> = Name extends `${infer Module}.${infer Method}`
  ? Module extends keyof Modules
    ? Method extends keyof Modules[Module]
      ? Modules[Module][Method]
      : never
    : never
  : never

type CallOf<Method> = Method extends (...input: never[]) => CompanionCall<infer Output, infer Errors>
  ? { output: Output; errors: Errors }
  : never

/** What an operation answers. */
export type OutputOf<Name extends OperationName> = CallOf<MethodOf<Name>>['output']
/** How an operation may be refused. */
export type ErrorsOf<Name extends OperationName> = CallOf<MethodOf<Name>>['errors']

type StatusOf<Name extends OperationName> = Extract<ErrorsOf<Name>, { status: number }>['status']
type DetailOf<Name extends OperationName, Status> = Extract<
  ErrorsOf<Name>,
  { status: Status; detail: unknown }
>['detail']

export interface ScriptOptions {
  /** For how many calls; afterwards the script before it counts again. Default: for all. */
  times?: number
}

export interface RefuseOptions extends ScriptOptions {
  /** Seconds that the response asks to wait, for 429 and 503. */
  retryAfter?: number
}

type Script = (request: Sent) => Response
interface Entry {
  script: Script
  left: number
}

/** How the authorization begins with a token that was issued here. */
const OWN_TOKEN = 'Bearer access-'

/**
 * A service in memory, for tests of an app: pass its `fetch` to `createCompanion`. Sign-in, refresh and access tokens work
 * as in the real service; every other operation does what the test says of it, and fails until then.
 */
export function scriptedService() {
  const service = serviceInMemory()
  const entries = new Map<string, Entry[]>()

  function play(name: string, script: Script, { times = Infinity }: ScriptOptions): void {
    entries.set(name, [{ script, left: times }, ...(entries.get(name) ?? [])])
  }

  service.instead = (request) => {
    const name = nameOf(request)
    const { headers } = request
    const isOfApp = !(headers.get('authorization') ?? OWN_TOKEN).startsWith(OWN_TOKEN)
    const isFree =
      SESSION_STARTING_OPERATIONS.has(name) ||
      NEEDS_NO_SESSION.has(name) ||
      name === 'auth.refresh' ||
      isOfApp
    const refused = isFree ? undefined : service.unauthorized(headers)
    if (refused) return refused
    const entry = entries.get(name)?.find(({ left }) => left > 0)
    if (entry) {
      entry.left--
      return entry.script(request)
    }
    if (SESSION_STARTING_OPERATIONS.has(name) || name === 'auth.refresh') return undefined
    return errorResponse(name, 500, `This test has no answer for it: call service.answer('${name}', …)`)
  }

  return {
    /** Pass it to `createCompanion`. */
    fetch: service.fetch,

    /** From now on, `operation` answers this. */
    answer<Name extends OperationName>(
      operation: Name,
      value: OutputOf<Name>,
      options: ScriptOptions = {},
    ): void {
      play(operation, () => (isFile(operation, value) ? fileResponse(value) : answer(value)), options)
    },

    /** From now on, `operation` is refused: by one of the errors that it declares. */
    refuse<Name extends OperationName, Status extends StatusOf<Name>>(
      operation: Name,
      status: Status,
      detail: DetailOf<Name, Status>,
      { retryAfter, ...options }: RefuseOptions = {},
    ): void {
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
      play(operation, () => errorResponse(operation, status, detail, headers), options)
    },

    /** From now on, `operation` gets no response, as without network. */
    cut: (operation: OperationName, options: ScriptOptions = {}): void => play(operation, cut, options),

    /** What the calls of `operation` have sent so far. */
    calls: (operation: OperationName): unknown[] =>
      service.sent.filter((request) => nameOf(request) === operation).map(({ input }) => input),

    /** Lets the access tokens expire that were given so far. The client then refreshes. */
    expireAccess: service.expireAccess,
  }
}

const nameOf = ({ path }: Sent): string =>
  Object.entries(FILES).find(([, file]) => file?.url === path)?.[0] ?? path

const isFile = (operation: string, value: unknown): value is CompanionFile =>
  FILES[operation] !== undefined && typeof value === 'object'

const fileResponse = ({ name, type, bytes }: CompanionFile): Response =>
  new Response(bytes, {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
  })

/** Files come over REST, which refuses without the envelope of tRPC. */
function errorResponse(
  operation: string,
  status: number,
  detail: unknown,
  headers: Record<string, string> = {},
): Response {
  if (!FILES[operation]) return refuse(status, detail, headers)
  return new Response(JSON.stringify({ detail }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
