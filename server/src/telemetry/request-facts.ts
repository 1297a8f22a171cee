/**
 * What the log, the metrics and the traces say of one request. Its id is known from the start; whoever serves the
 * request adds the rest.
 */
export interface RequestFacts {
  /** The answer carries it as `X-Request-Id`. */
  readonly id: string
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
    /** The trace that the request belongs to, when there are traces; see open-telemetry.ts. */
    traceId?: string
  }
}
