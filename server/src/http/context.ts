import type { TRPC_ERROR_CODE_NUMBER } from '@trpc/server'

/**
 * The context that a procedure receives with its input. It is empty here: each module adds its members by declaration
 * merging, so that the router's types, which the SDK publishes, name nothing of the server.
 */
export interface Context {}

/** The metadata of a procedure; see `endpoint.ts`. */
export interface Meta {}

/** The error that a client receives for one declared failure; `Status` and `Detail` are literal types. */
export interface DeclaredError<Status, Detail> {
  message: string
  code: TRPC_ERROR_CODE_NUMBER
  data: { status: Status; httpStatus: Status; detail: Detail; requestId: string | undefined }
}

/** The properties of a file answer that the router's types show to clients. */
export interface ResponseFile {
  readonly name: string
  readonly size: number | undefined
}
