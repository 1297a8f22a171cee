import { z } from 'zod'
import { isCalendarDate, isLocalDateTime } from '../time/wall-clock.ts'

/*
 * The wire types, strict on purpose: what is not exactly of the type is refused, never turned into something else
 * (a consent must not be given by coercion). Texts that arrive in a path or query are read by `rest.ts` first.
 */

const LARGEST_ID = 2 ** 31 - 1

/** A 32-bit integer from `least` to `most`. */
export const integer = (least = -(2 ** 31), most = LARGEST_ID) =>
  z
    .int()
    .min(least)
    .max(most)
    .meta({ examples: [Math.max(least, 0)] })

/** A 32-bit identifier. One that names nothing, such as 0, is not found, as any other. */
export const id = integer().meta({ examples: [1] })

/** `true`, `false`, 1 or 0: the contract's examples send 1 where it says boolean. */
export const flag = z.union([z.boolean(), z.literal([0, 1]).transform((digit) => digit === 1)], {
  error: 'must be true, false, 1 or 0',
})

const isStorable = (value: string) => value.isWellFormed() && !value.includes('\0')
const length = (value: string) => Array.from(value).length

/** Text of `least` to `most` Unicode code points that PostgreSQL can hold: no NUL, no lone surrogate. */
export const text = ({ least = 0, most = 200 }: { least?: number; most?: number } = {}) =>
  z
    .string()
    .refine(isStorable, { error: 'must hold no NUL and no lone surrogate', abort: true })
    // A code point is at most two UTF-16 units; counting them is left out for what is far too long.
    .refine((value) => value.length >= 2 * least || length(value) >= least, {
      error: `must have at least ${least} characters`,
      abort: true,
    })
    .refine((value) => value.length <= 2 * most && length(value) <= most, {
      error: `must have at most ${most} characters`,
    })
    .meta({ ...(least > 0 ? { minLength: least } : {}), maxLength: most })

/** A person's name, which must say something unless `optional`. */
export const name = text({ least: 1, most: 100 })

/** `yyyymmdd`, a day that exists, not before 1900 and not in the future. */
export const birthdate = z
  .string()
  .refine(
    (value) =>
      /^\d{8}$/.test(value) && isCalendarDate(`${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`),
    {
      error: 'must be a day as yyyymmdd',
      abort: true,
    },
  )
  .refine((value) => value >= '19000101' && value <= latestBirthdate(), {
    error: 'must lie between 1900 and today',
  })
  .meta({ description: '`yyyymmdd`', pattern: '^\\d{8}$', examples: ['20150131'] })

/** Somewhere on Earth it may already be tomorrow. */
const latestBirthdate = () =>
  new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '')

/** `yyyy-mm-dd`, a day that exists in the years 1 to 9999. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { error: 'must be a day as yyyy-mm-dd' })
  .meta({ format: 'date', examples: ['2026-03-01'] })

/** The device's wall clock, ISO 8601 without zone. */
export const localDateTime = z
  .string()
  .refine(isLocalDateTime, { error: 'must be a date and time without zone, as 2026-03-01T21:30:00' })
  .meta({
    description: "The device's wall clock, ISO 8601 without zone",
    examples: ['2026-03-01T21:30:00'],
  })

/** E.164. */
export const isPhoneNumber = (value: string) => /^\+[1-9]\d{6,14}$/.test(value)
export const phone = z
  .string()
  .refine(isPhoneNumber, { error: 'must be a phone number as E.164, such as +821012345678' })
  .meta({ description: 'E.164', pattern: '^\\+[1-9]\\d{6,14}$', examples: ['+821012345678'] })

/** ISO 3166-1 alpha-2. */
export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'must be a country code such as KR' })
  .meta({ description: 'ISO 3166-1 alpha-2', examples: ['KR'] })

/** The id a device or base station carries, lower-cased as PostgreSQL prints it. */
export const uniqueId = z
  .guid()
  .toLowerCase()
  .meta({ examples: ['7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13'] })

/** What calls answer that have nothing to return but that it is done. */
export const message = z
  .object({
    statusCode: z.literal(200),
    message: z.string().meta({ description: 'What was done, in English' }),
  })
  .meta({ id: 'Done' })
