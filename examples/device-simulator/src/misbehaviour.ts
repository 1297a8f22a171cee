/**
 * How the device misbehaves, or merely varies, while it uploads. Everything is off by default and can be combined. A rate is a share from 0 (never) to 1 (always).
 */
export interface Misbehaviour {
  /** Share of acknowledged uploads that are sent once more, as if the response had been lost. */
  retries?: number
  /** Share of items that are sent a second time, in the same upload or in a later one. */
  duplicates?: number
  /** Sends the items in random order instead of oldest first. */
  shuffle?: boolean
  /** Share of uploads whose first try is cut in the middle of the body. */
  cut?: number
  /** Share of uploads whose first try arrives whole, but the device hangs up before the response. */
  lost?: number
  /** Share of uploads whose first try is a complete request with half a body, whose end was never written. */
  torn?: number
  /** Share of items that are uploaded as temporary records during the use, and afterwards as complete ones. */
  temporary?: number
  /** Share of items before which an item of an unknown device is sent. */
  strangers?: number
  /** Share of items recorded while the clock stood in 1970; `true` means all of them. */
  clock1970?: boolean | number
  /**
   * Share of items, the last ones in time, since which the clock battery is flat; `true` means all of them. The clock ran
   * on from 1970, and when the service refuses that, the device takes the time, corrects its records and sends again.
   */
  flatClock?: boolean | number
  /** The same with a clock that has jumped ahead to 2036. */
  jumpedClock?: boolean | number
  /** The firmware that the device reports in `X-Firmware`. */
  firmware?: number
  /** Asks the server to store the valid items of an upload and to reject only the others (RFC 7240). */
  lenient?: boolean
  /** Compresses the body with gzip. */
  gzip?: boolean
}
