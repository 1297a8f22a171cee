const [QUOTE, BACKSLASH] = [0x22, 0x5c]
/** `[` and `{`, `]` and `}` differ from each other in this bit alone. */
const KIND = 0x20
const [OPEN, CLOSE] = [0x7b, 0x7d]

/**
 * Returns how deep JSON is nested, before it is parsed, and how many of its brackets are left open at its end. Nothing but
 * brackets costs a parser, and code that looks through its value, more than their bytes are worth.
 */
export function nestingDepth(json: Uint8Array): { deepest: number; open: number } {
  let open = 0
  let deepest = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfText(json, at)
    else if ((byte | KIND) === OPEN) deepest = Math.max(deepest, (open += 1))
    else if ((byte | KIND) === CLOSE) open -= 1
  }
  return { deepest, open }
}

/** The position of the quote that ends the text which begins at `start`. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < json.length && json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1
  return at
}
