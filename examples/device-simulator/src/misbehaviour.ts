/**
 * What the device does wrong, or merely differently, while it uploads. Everything is off by default, and all
 * of it can be combined. A rate is a share from 0 (never) to 1 (always).
 */
export interface Misbehaviour {
  /** Share of acknowledged uploads that are sent once more, as if the answer had been lost. */
  retries?: number
  /** Share of items that are sent a second time, in the same upload or in a later one. */
  duplicates?: number
  /** Sends the items in random order instead of oldest first. */
  shuffle?: boolean
  /** Share of uploads whose first try breaks off in the middle of the body. */
  cut?: number
  /** Share of uploads whose first try arrives whole, while the device hangs up before the answer. */
  lost?: number
  /** Share of uploads whose first try is a whole request with half a body: its end was never written. */
  torn?: number
  /** Share of items that are uploaded while the use still lasts, as temporary records, and then as what they became. */
  temporary?: number
  /** Share of items beside which one of a device is sent that nobody knows. */
  strangers?: number
  /** Share of items recorded while the clock stood in 1970; `true` means all of them. */
  clock1970?: boolean | number
  /** Asks the server to store the good items of an upload and to put the bad ones aside (RFC 7240). */
  lenient?: boolean
  /** Compresses the body with gzip. */
  gzip?: boolean
}
