import { TRPCClientError } from '@trpc/client'
import type { Operation, TRPCLink, TRPCPromise, TRPCRequestOptions } from '@trpc/client'
import type { inferRouterOutputs } from '@trpc/server'
import { observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { rawOptions } from './call-options.ts'
import type { CallOptions } from './call-options.ts'
import { download } from './download.ts'
import type { Arrived, FileProgress } from './download.ts'
import { callError, property, refusal, unreachable } from './errors.ts'
import { FILES } from './operations/kinds.ts'
import { headersOf } from './transport.ts'
import type { Fetch } from './transport.ts'

/** A file that the service made. */
export interface CompanionFile {
  /** Such as `Beta_Report.pdf`. */
  name: string
  /** Its media type, such as `application/pdf`. */
  type: string
  bytes: ArrayBuffer
}

export interface FileOptions extends CallOptions {
  /** Told how much has arrived; without XMLHttpRequest, as in Node.js, or with a `fetch` of your own once, at the end. */
  onProgress?: ((progress: FileProgress) => unknown) | undefined
}

/** What the router's types say of a file, for whoever uses the raw client. */
type AnsweredFile = inferRouterOutputs<AppRouter>['reports']['pdf']

export const answersFile = ({ path }: Operation): boolean => FILES[path] !== undefined

/** Fetches what operations answer as a file: over REST, because tRPC's JSON carries no bytes. */
export function fileLink(baseUrl: string, givenFetch: Fetch | undefined): TRPCLink<AppRouter> {
  async function fetchFile({
    path,
    input,
    context,
    signal,
  }: Operation): Promise<CompanionFile & AnsweredFile> {
    const operation = FILES[path]
    if (!operation) throw new Error(`${path} answers no file`)
    const { onProgress } = context
    const arrived = await download(
      {
        url: `${baseUrl}${operation.url}?${queryOf(input)}`,
        headers: headersOf(context),
        signal,
        // Nobody waits for a listener, which may call the client, or throw.
        onProgress:
          typeof onProgress === 'function'
            ? (progress) => void Promise.resolve(progress).then((each) => onProgress(each))
            : undefined,
      },
      givenFetch,
    )
    const { status, header, bytes } = arrived
    if (status !== 200) throw refusalIn(arrived)
    const [type = ''] = (header('content-type') ?? '').split(';')
    const length = header('content-encoding') ? null : header('content-length')
    if (type !== operation.type || (length !== null && Number(length) !== bytes.byteLength)) {
      throw unreachable('Something else than the whole file arrived')
    }
    const name = nameIn(header('content-disposition')) ?? operation.name
    return { name, type, bytes, size: bytes.byteLength }
  }

  return () =>
    ({ op }) =>
      observable((observer) => {
        void fetchFile(op)
          .then(
            (data) => observer.next({ result: { type: 'data', data } }),
            (error: unknown) => observer.error(callError(error)),
          )
          .finally(observer.complete)
      })
}

const queryOf = (input: unknown): string =>
  Object.entries(Object(input))
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join('&')

/** What the service said instead of the file. */
function refusalIn({ status, header, bytes }: Arrived): Error {
  const detail = property(jsonIn(bytes), 'detail')
  return detail === undefined
    ? unreachable(`Something else than the service answered (status ${status})`)
    : TRPCClientError.from<AppRouter>(refusal(status, detail, header('x-request-id') ?? undefined))
}

/** More than that is no refusal of the service, but some page. */
const LONGEST_REFUSAL = 1_000_000

/** (There is no TextDecoder on every Hermes.) */
function jsonIn(bytes: ArrayBuffer): unknown {
  if (bytes.byteLength > LONGEST_REFUSAL) return undefined
  const escaped = Array.from(new Uint8Array(bytes), (byte) => `%${byte.toString(16).padStart(2, '0')}`)
  try {
    return JSON.parse(decodeURIComponent(escaped.join('')))
  } catch {
    return undefined
  }
}

const nameIn = (disposition: string | null): string | undefined =>
  /filename="?([^";]+)/.exec(disposition ?? '')?.[1]

/**
 * A file operation of the raw client, whose types can only say that there is a file: the same call and the same errors,
 * with what `fileLink` answers.
 */
export function fileCall<Input, Shape>(
  query: (input: Input, options: TRPCRequestOptions) => TRPCPromise<unknown, Shape>,
): (input: Input, options?: FileOptions) => TRPCPromise<CompanionFile, Shape>
export function fileCall(query: (input: unknown, options: TRPCRequestOptions) => Promise<unknown>) {
  return (input: unknown, { onProgress, ...options }: FileOptions = {}): Promise<unknown> => {
    const { context, ...raw } = rawOptions(options)
    return query(input, { ...raw, context: { ...context, onProgress } })
  }
}
