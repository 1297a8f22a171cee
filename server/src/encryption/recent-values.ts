/** Which texts were opened lately, by what is stored. Decrypting a name takes 8 µs, finding it here 0.2 µs. */
export interface DecryptionCache {
  get(place: string, stored: string): string | undefined
  set(place: string, stored: string, text: string): void
}

/** Of a generation; two are kept. A name takes 0.2 kB, so that one holds the names of some 10,000 families. */
const MOST_BYTES = 8_000_000
/** What a value takes beside its characters. */
const OVERHEAD_BYTES = 150
/** A longer value is not kept, and takes longer to answer than to decrypt. */
const LONGEST = 512

interface Value {
  place: string
  text: string
}

/** Remembers the values found or set last, of `mostBytes` or up to twice as many. */
export function createRecentValues(mostBytes = MOST_BYTES): DecryptionCache {
  let young = new Map<string, Value>()
  let old = young
  let bytes = 0
  function keep(stored: string, value: Value) {
    // Characters beyond Latin-1 take two bytes.
    bytes += stored.length + 2 * value.text.length + OVERHEAD_BYTES
    if (bytes > mostBytes) {
      old = young
      young = new Map()
      bytes = 0
    }
    young.set(stored, value)
  }
  return {
    get(place, stored) {
      let value = young.get(stored)
      if (!value) {
        value = old.get(stored)
        if (value) keep(stored, value)
      }
      return value?.place === place ? value.text : undefined
    },
    set(place, stored, text) {
      if (stored.length <= LONGEST) keep(stored, { place, text })
    },
  }
}
