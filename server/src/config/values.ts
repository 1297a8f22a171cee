import { z } from 'zod'
import { issueText } from './issue-text.ts'

/*
 * The types of environment variables. Each message is worded to follow the name of the variable.
 */

/** A whole number from `least` to `most`. */
export const integerSetting = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .pipe(z.number().min(least, error).max(most, error))
}

/** A URL of one of `protocols`, such as `https:`. */
export const urlSetting = (...protocols: string[]) =>
  z
    .string('is missing')
    .refine((text) => !/\s/.test(text) && URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    })

/** A comma-separated list; empty entries are dropped. */
export const listSettingSchema = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  )

const PLACEHOLDER = /change.?me|change.?this|replace|example|your.?secret|placeholder/i

/** A secret of at least 32 bytes that is not a placeholder from an example. */
export const secretSettingSchema = z
  .string('is missing')
  .refine((text) => Buffer.byteLength(text) >= 32, { error: 'must be at least 32 bytes' })
  .refine((text) => new Set(text).size >= 8 && !PLACEHOLDER.test(text), {
    error: 'looks like a placeholder; generate a secret with `openssl rand -base64 48`',
    when: ({ issues }) => issues.length === 0,
  })

/** Parses JSON that fits `schema`. An issue may name a field but never quotes its value, which may be a secret. */
export const jsonSetting = <Schema extends z.ZodType>(
  schema: Schema,
  read: (text: string) => string = (text) => text,
) =>
  z.string().transform((text, context): z.infer<Schema> => {
    const fail = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    let value: unknown
    try {
      value = JSON.parse(read(text))
    } catch (error) {
      const isFile = error instanceof Error && 'path' in error
      return fail(isFile ? 'names a file that cannot be read' : 'cannot be read as JSON')
    }
    const parsed = schema.safeParse(value, { error: issueText })
    return parsed.success ? parsed.data : fail(parsed.error.issues.map(describe).join('; '))
  })

const describe = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  [path.join('.'), message].filter(Boolean).join(': ')
