import type { TRPCRequestOptions } from '@trpc/client'

/** What every call takes besides its input. */
export interface CallOptions {
  /** Aborts the call; it fails at once with a cause named `AbortError`. Whether it had an effect is not known then. */
  signal?: AbortSignal | undefined
  /** Milliseconds the call may take as a whole, a refresh on its way included; otherwise that of `createCompanion`. */
  timeout?: number | undefined
}

/** The same for the raw client, with extra request headers. */
export const rawOptions = (
  { signal, timeout }: CallOptions = {},
  headers: Record<string, string> = {},
): TRPCRequestOptions => ({
  ...(signal ? { signal } : {}),
  context: { headers, ...(timeout === undefined ? {} : { timeout }) },
})
