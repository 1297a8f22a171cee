import type { TRPCRequestOptions } from '@trpc/client'

/** Options that every call takes besides its input. */
export interface CallOptions {
  /**
   * Aborts the call, which then fails at once with a cause named `AbortError`. The call may have had an effect or
   * not.
   */
  signal?: AbortSignal | undefined
  /** Time limit of the whole call in milliseconds, including a refresh; default: `timeout` of `createCompanion`. */
  timeout?: number | undefined
  /**
   * How often the call is tried again when no response came or the service is busy (429, 503); default: `retries` of
   * `createCompanion`. A change happens once, however often it is tried. Calls that hand out tokens or an export, send codes
   * or mails to somebody who is not signed in, or are a device's are not tried again.
   */
  retries?: number | undefined
}

/** `CallOptions` as the raw client takes them, with extra request headers. */
export const rawOptions = (
  { signal, timeout, retries }: CallOptions = {},
  headers: Record<string, string> = {},
): TRPCRequestOptions => ({
  ...(signal ? { signal } : {}),
  context: { headers, timeout, retries },
})
