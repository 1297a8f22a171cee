import { iso31661 } from 'iso-3166'
import { z } from 'zod'
import { rejectNull } from './body/absent-fields.ts'
import { isCalendarDate, isLocalDateTime, isTimeZone } from '../time/wall-clock.ts'

/*
 * The wire types. They are strict on purpose: a value of another type is refused, never converted, because a consent
 * must not be given by coercion. `read-input.ts` first converts numbers in a path or query.
 */

export const LARGEST_ID = 2 ** 31 - 1

/** A 32-bit integer from `least` to `most`. */
export const integerField = (least = -(2 ** 31), most = LARGEST_ID) => z.int().min(least).max(most)

/** A 32-bit identifier. Ids that match nothing, 0 included, are "not found", not invalid. */
export const idField = integerField().meta({ examples: [1] })

/** The same in an input that was not validated yet: paths and queries hold texts. */
export const rawIdField = z.union([
  idField,
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(idField),
])

/** `true`, `false`, 1 or 0: the contract's examples send 1 where it says boolean. */
export const booleanField = z.union([z.boolean(), z.literal([0, 1]).transform((digit) => digit === 1)], {
  error: 'must be true, false, 1 or 0',
})

const isStorable = (value: string) => value.isWellFormed() && !/[\0\p{NChar}]/u.test(value)
const length = (value: string) => Array.from(value).length

/** How many Unicode code points a text has. */
interface Length {
  least?: number
  most?: number
}

interface TextRule extends Length {
  /** What the text must not hold. */
  unfit?: RegExp
  /** Whether it must hold something that a reader sees. */
  isVisible?: boolean
  /** Whether letters are composed (NFC) before they are counted and kept, because keyboards differ in it. */
  isComposed?: boolean
}

/** A letter, digit, punctuation mark or symbol that is drawn: no space, filler or zero-width character, no mark alone. */
export const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Text of `least` to `most` Unicode code points that PostgreSQL and XML can hold: no NUL, no lone surrogate, no
 * noncharacter such as U+FFFE, and nothing that `unfit` finds.
 */
export const textField = ({ least = 0, most = 200, unfit, isVisible, isComposed }: TextRule = {}) =>
  (isComposed ? z.string().normalize('NFC') : z.string())
    // A code point has at most two UTF-16 units: a text that is far too long is refused below without being read.
    .refine((value) => value.length > 2 * most || isStorable(value), {
      error: 'must hold no NUL, no lone surrogate and no noncharacter',
      abort: true,
    })
    .refine((value) => value.length >= 2 * least || length(value) >= least, {
      error: `must have at least ${least} characters`,
      abort: true,
    })
    .refine((value) => value.length <= 2 * most && length(value) <= most, {
      error: `must have at most ${most} characters`,
      abort: true,
    })
    .refine((value) => !unfit?.test(value), {
      error: 'must hold no control character and no override of the direction of writing',
    })
    .refine((value) => !isVisible || VISIBLE.test(value), {
      error: 'must hold at least one visible character',
    })
    .meta({ ...(least > 0 ? { minLength: least } : {}), maxLength: most })

/** One line that somebody writes for others to read, in lists, terminals and logs, where such characters deceive. */
export const lineField = (rule: Omit<TextRule, 'unfit'> = {}) =>
  textField({ ...rule, unfit: /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u })

/** The same of several lines. */
export const multilineField = (rule: Omit<TextRule, 'unfit'> = {}) =>
  textField({ ...rule, unfit: /[^\P{Cc}\n\r\t]|[\u202A-\u202E\u2066-\u2069]/u })

/** A name, which must say something. */
export const nameField = lineField({ least: 1, most: 100, isVisible: true })

/** `yyyymmdd`, a day that exists, not before 1900 and not in the future. */
export const birthdateField = z
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

/** Today's date in the easternmost time zone (UTC+14). */
const latestBirthdate = () =>
  new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '')

/** `yyyy-mm-dd`, a day that exists in the years 1 to 9999. */
export const calendarDateField = z
  .string()
  .refine(isCalendarDate, { error: 'must be a day as yyyy-mm-dd' })
  .meta({ format: 'date', examples: ['2026-03-01'] })

/** The name of a time zone that exists, and no offset, which would be wrong for half a year in most places. */
export const timeZoneField = rejectNull(
  z
    .string()
    .max(64, { abort: true })
    .regex(/^[A-Za-z]/, { error: 'must be the name of a time zone, such as Asia/Seoul', abort: true })
    .refine(isTimeZone, { error: 'must be the name of a time zone, such as Asia/Seoul' })
    .meta({ description: 'An IANA name', examples: ['Asia/Seoul'] }),
)

/** A time of day, `hh:mm`. */
export const clockTimeField = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day as hh:mm' })
  .meta({ examples: ['21:00'] })

/** A time on the device's wall clock: ISO 8601 without a zone. */
export const localDateTimeField = z
  .string()
  .refine(isLocalDateTime, {
    error: 'must be a date and time without zone, as 2026-03-01T21:30:00',
    // What follows judges a date.
    abort: true,
  })
  .meta({
    description: "The device's wall clock, ISO 8601 without zone",
    examples: ['2026-03-01T21:30:00'],
  })

/** The codes that ISO assigns: none of those that it reserves or leaves to its users (`XK`, `EU`, `UK`). */
const countries = new Set(iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2))

/** A country code, ISO 3166-1 alpha-2. */
export const countryCodeField = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'must be a country code such as KR', abort: true })
  .refine((value) => countries.has(value), { error: 'must be an assigned country code such as KR' })
  .meta({ description: 'ISO 3166-1 alpha-2', examples: ['KR'] })

/** The UUID that a device or base station carries, converted to lower case as PostgreSQL prints it. */
export const uniqueIdField = z
  .guid()
  .toLowerCase()
  .meta({ examples: ['7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13'] })

/**
 * A list of at most `most` items, which are looked at only if there are not more: zod would judge each of 100,000 first, and
 * then say that they are too many.
 */
export function listField<Item extends z.ZodType>(item: Item, most: number) {
  const all = z.array(item).max(most, { error: `must have at most ${most} items` })
  // oxlint-disable-next-line no-underscore-dangle -- zod names it so for those who build on it
  const inner = all._zod
  const parse = inner.parse.bind(inner)
  inner.parse = (payload, context) =>
    Array.isArray(payload.value) && payload.value.length > most ? payload : parse(payload, context)
  return all
}

/** The input of an operation without fields. Over tRPC it may be left out: `account.me.query()`. */
export const noFieldsSchema = z.object({}).optional()

/** The response of calls that only report success. */
export const messageResponseSchema = z
  .object({
    statusCode: z.literal(200),
    message: z.string().meta({ description: 'What was done, in English' }),
  })
  .meta({ id: 'Done', description: 'Nothing but success' })
