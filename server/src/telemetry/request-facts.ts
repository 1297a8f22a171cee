import type { ClientInfo } from './client.ts'

/**
 * The facts of one request for the log, the metrics and the traces. The id is known from the start; the code that serves
 * the request adds the rest.
 */
export interface RequestFacts {
  /** Sent to the client as `X-Request-Id`. */
  readonly id: string
  /** What `X-Client` says of the caller, if it says anything. */
  readonly client: ClientInfo | undefined
  /** The operation's path in the router, such as `account.me`. */
  operation?: string
  /** Keyed hash of the caller's address, for operations that are `recorded`. */
  source?: string
  /** SHA-256 of the unpacked body, for operations that are `recorded`. */
  body_sha256?: string
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Undefined for requests that are not logged, such as probes. */
    facts?: RequestFacts
    /** The id of the request's trace, if tracing is on; see open-telemetry.ts. */
    traceId?: string
  }
}
