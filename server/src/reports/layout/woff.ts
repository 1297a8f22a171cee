import { inflateSync } from 'node:zlib'

const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

/**
 * Unpacks a font from its WOFF 1.0 container, because fontkit would inflate the whole table of outlines again for each
 * glyph. https://www.w3.org/TR/WOFF/
 */
export function unpackWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const header = Buffer.alloc(SFNT_HEADER + SFNT_ENTRY * count)
  woff.copy(header, 0, 4, 8)
  header.writeUInt16BE(count, 4)
  const power = Math.floor(Math.log2(count))
  header.writeUInt16BE(16 * 2 ** power, 6)
  header.writeUInt16BE(power, 8)
  header.writeUInt16BE(16 * (count - 2 ** power), 10)
  const tables: Buffer[] = []
  let at = header.length
  for (let index = 0; index < count; index++) {
    const entry = WOFF_HEADER + WOFF_ENTRY * index
    const [offset, packed, length] = [4, 8, 12].map((place) => woff.readUInt32BE(entry + place))
    const content = woff.subarray(offset, (offset ?? 0) + (packed ?? 0))
    const table = packed === length ? content : inflateSync(content)
    const place = SFNT_HEADER + SFNT_ENTRY * index
    woff.copy(header, place, entry, entry + 4)
    woff.copy(header, place + 4, entry + 16, entry + 20)
    header.writeUInt32BE(at, place + 8)
    header.writeUInt32BE(table.length, place + 12)
    // Tables begin at multiples of four.
    tables.push(table, Buffer.alloc(-table.length & 3))
    at += table.length + (-table.length & 3)
  }
  return Buffer.concat([header, ...tables])
}
