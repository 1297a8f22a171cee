import type { TRPCRequestOptions } from '@trpc/client'
import { bearerHeader } from './call-link.ts'
import { rawOptions } from './call-options.ts'
import type { CallOptions } from './call-options.ts'
import type { FileOptions } from './file-link.ts'
import type { UpdateChildInput } from './types.ts'

/*
 * How a method sends what it takes. The generator gives each method one of these: as a function for each method, they were
 * half a kilobyte of a page. The types of the methods are in their modules; a type test compares them with the router.
 */

type Send = (input: object, options: TRPCRequestOptions) => Promise<unknown>

/** A procedure of the raw client. */
export interface Procedure {
  query: Send
  mutate: Send
}

export type MethodKind = (procedure: Procedure) => (...input: never[]) => Promise<unknown>

const sendsBy =
  (send: Send) =>
  (input: object = {}, options?: CallOptions) =>
    send(input, rawOptions(options))
export const queryMethod: MethodKind = ({ query }) => sendsBy(query)
export const mutationMethod: MethodKind = ({ mutate }) => sendsBy(mutate)

const asksBy = (send: Send) => (options?: CallOptions) => send({}, rawOptions(options))
export const queryMethodWithoutInput: MethodKind = ({ query }) => asksBy(query)
export const mutationMethodWithoutInput: MethodKind = ({ mutate }) => asksBy(mutate)

export const itemsMutationMethod: MethodKind =
  ({ mutate }) =>
  (items: readonly object[], options?: CallOptions) =>
    mutate({ items: [...items] }, rawOptions(options))

export const validTokenMutationMethod: MethodKind =
  ({ mutate }) =>
  ({ valid_token, ...input }: { valid_token: string }, options?: CallOptions) =>
    mutate(input, rawOptions(options, bearerHeader(valid_token)))

const fetchesBy =
  (send: Send) =>
  (input: object, { onProgress, ...options }: FileOptions = {}) => {
    const { context, ...raw } = rawOptions(options)
    return send(input, { ...raw, context: { ...context, onProgress } })
  }
export const fileQueryMethod: MethodKind = ({ query }) => fetchesBy(query)
export const fileMutationMethod: MethodKind = ({ mutate }) => fetchesBy(mutate)

/** The service takes the child's id twice, in the path and in the body. */
export const childUpdateMethod: MethodKind =
  ({ mutate }) =>
  (input: UpdateChildInput, options?: CallOptions) =>
    mutate({ ...input, id: input.real_user_id }, rawOptions(options))

export interface UploadOptions extends CallOptions {
  /** Store the good logs and set the bad ones aside, instead of all or nothing; `results` says which is which. */
  lenient?: boolean | undefined
}

export const devlogUploadMethod: MethodKind =
  ({ mutate }) =>
  (items: readonly object[], { lenient, ...options }: UploadOptions = {}) =>
    mutate({ items: [...items] }, rawOptions(options, lenient ? { prefer: 'handling=lenient' } : {}))
