/*
 * Polynomials over GF(2) modulo that of CRC-32 (RFC 1952, 8), the highest power in the lowest bit: `crc32_combine` of zlib, which Node.js
 * does not offer.
 */

const POLYNOMIAL = 0xed_b8_83_20
const ONE = 2 ** 31

function product(one: number, other: number): number {
  let sum = 0
  let factor = other
  for (let bit = ONE; bit > 0; bit = Math.floor(bit / 2)) {
    if ((one & bit) !== 0) sum ^= factor
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL
  }
  return sum >>> 0
}

/** x to the power of 2, 4, 8 … */
const squares = (() => {
  const found = [product(ONE / 2, ONE / 2)]
  for (let n = 1; n < 48; n += 1) found.push(product(found[n - 1] ?? 0, found[n - 1] ?? 0))
  return found
})()

/** The CRC-32 of bytes and `length` further ones behind them, of the CRC-32 of each. */
export function crc32OfBoth(first: number, second: number, length: number): number {
  let shift = ONE
  // A byte has 8 bits: x to the power of 8 is the third square.
  for (let [left, n] = [length, 2]; left > 0; left = Math.floor(left / 2), n += 1)
    if (left % 2 === 1) shift = product(shift, squares[n] ?? 0)
  return (product(shift, first) ^ second) >>> 0
}
