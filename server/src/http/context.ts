import type { TRPC_ERROR_CODE_NUMBER } from '@trpc/server'

/**
 * What a procedure gets with its input. Empty here: each room adds what it brings by declaration merging, so that
 * the router's types, which the SDK publishes, name nothing of the server.
 */
export interface Context {}

/** What a procedure says about itself; see `endpoint.ts`. */
export interface Meta {}

/** The error a client gets for one declared failure: its status and `detail` are literal types. */
export interface Refusal<Status, Detail> {
  message: string
  code: TRPC_ERROR_CODE_NUMBER
  data: { status: Status; httpStatus: Status; detail: Detail; requestId: string | undefined }
}

/** What clients may know of a file that an operation answers. */
export interface AnsweredFile {
  readonly name: string
  readonly size: number
}
