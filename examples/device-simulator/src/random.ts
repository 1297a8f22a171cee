/** A stream of random numbers that is the same for the same seed. */
export interface Random {
  /** The next number, at least 0 and below 1. */
  next(): number
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number
  /** True in the given share of calls: 0 never, 1 always. */
  chance(rate: number): boolean
}

/**
 * Makes a separate stream for each purpose. `createRandom(seed, 'cut')` and `createRandom(seed, 'shuffle')` do not
 * affect each other, so switching one misbehaviour on leaves the others as they were.
 */
export function createRandom(...seed: (string | number)[]): Random {
  const next = sfc32(...cyrb128(seed.join('/')))
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const chance = (rate: number): boolean => next() < rate
  return { next, integer, chance }
}

/** A shuffled copy (Fisher-Yates). */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const rest = [...values]
  const result: T[] = []
  while (rest.length > 0) result.push(...rest.splice(random.integer(0, rest.length - 1), 1))
  return result
}

/**
 * Small Fast Counter, 32 bit, by Chris Doty-Humphrey (PractRand); JavaScript form published by bryc, public
 * domain: https://github.com/bryc/code/blob/master/jshash/PRNGs.md
 */
function sfc32(a: number, b: number, c: number, d: number): () => number {
  return () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return (t >>> 0) / 4_294_967_296
  }
}

/** cyrb128 by bryc, public domain, from the same page: hashes a text to the 128 bits that sfc32 starts from. */
function cyrb128(text: string): [number, number, number, number] {
  let h1 = 1_779_033_703
  let h2 = 3_144_134_277
  let h3 = 1_013_904_242
  let h4 = 2_773_480_762
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    h1 = h2 ^ Math.imul(h1 ^ unit, 597_399_067)
    h2 = h3 ^ Math.imul(h2 ^ unit, 2_869_860_233)
    h3 = h4 ^ Math.imul(h3 ^ unit, 951_274_213)
    h4 = h1 ^ Math.imul(h4 ^ unit, 2_716_044_179)
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597_399_067)
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2_869_860_233)
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951_274_213)
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2_716_044_179)
  h1 ^= h2 ^ h3 ^ h4
  h2 ^= h1
  h3 ^= h1
  h4 ^= h1
  return [h1 | 0, h2 | 0, h3 | 0, h4 | 0]
}
