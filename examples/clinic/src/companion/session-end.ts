let end = new AbortController()

/** Aborted as soon as the session ends, or its user begins to end it: what must not be seen after it goes by this. */
export const sessionEnd = (): AbortSignal => end.signal

export function announceSessionEnd(): void {
  const ended = end
  end = new AbortController()
  ended.abort()
}
