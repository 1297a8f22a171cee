import { z } from 'zod'

/*
 * Kinds of values that environment variables hold. Each fault says what must be, to stand behind the variable's name.
 */

/** A whole number from `least` to `most`. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

/** A URL of one of `protocols`, such as `https:`. */
export const url = (...protocols: string[]) =>
  z.string('is missing').refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

/** What stands between commas. */
export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  )

const PLACEHOLDER = /change.?me|change.?this|replace|example|your.?secret|placeholder/i

/** Something that only this service and its peer know. */
export const secret = z
  .string('is missing')
  .refine((text) => Buffer.byteLength(text) >= 32, { error: 'must be at least 32 bytes' })
  .refine((text) => new Set(text).size >= 8 && !PLACEHOLDER.test(text), {
    error: 'is what stands in an example; make one with `openssl rand -base64 48`',
    when: ({ issues }) => issues.length === 0,
  })
