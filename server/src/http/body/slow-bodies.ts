export interface BodyRateLimit {
  /** The bytes that a body must bring in each second. */
  bytesPerSecond: number
  /** The time over which they are averaged. */
  windowMs: number
  /** The interval at which `check` is called. */
  checkMs: number
}

/** A packet may come just behind the window in which it was due. */
const PACKET_BYTES = 1500

interface Arriving {
  /** The bytes received by earlier checks of the window, the oldest first. */
  seen: { at: number; bytes: number }[]
  end: () => void
}

/** The parts of a request that are watched. */
interface Body {
  readonly readableLength: number
  readonly socket: { readonly bytesRead: number }
  once(event: 'close', act: () => void): unknown
}

/**
 * Ends requests whose bodies arrive more slowly than `bytesPerSecond` over `windowMs`: without that limit a client holds a
 * connection for two minutes with a handful of bytes.
 */
export function createBodyRateLimiter({ bytesPerSecond, windowMs, checkMs }: BodyRateLimit) {
  const arriving = new Map<Body, Arriving>()
  let checkedAt = performance.now()
  return {
    /** Watches a request until its body is complete or it is gone; calls `end` once if it is too slow. */
    watch(request: Body, end: () => void): void {
      arriving.set(request, { seen: [{ at: performance.now(), bytes: request.socket.bytesRead }], end })
      request.once('close', () => arriving.delete(request))
    },
    /** Judges all bodies; `now` is in milliseconds, as of `performance.now()`. */
    check(now: number): void {
      // After a time in which this process stood still, bytes may have arrived that it has not read yet.
      const stoodStill = now - checkedAt > 2 * checkMs
      checkedAt = now
      for (const [request, { seen, end }] of arriving) {
        const bytes = request.socket.bytesRead
        // Nor does a client hold anything up while this process does not read what it has sent.
        if (stoodStill || request.readableLength > 0) seen.length = 0
        seen.push({ at: now, bytes })
        const due = seen.findLastIndex(({ at }) => at <= now - windowMs)
        const first = seen[due]
        if (!first) continue
        seen.splice(0, due)
        const demanded = ((now - first.at) / 1000) * bytesPerSecond - PACKET_BYTES
        if (bytes - first.bytes >= demanded) continue
        arriving.delete(request)
        end()
      }
    },
  }
}
