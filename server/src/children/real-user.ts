import { z } from 'zod'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { birthdateField, lineField, nameField } from '../http/fields.ts'

/** How an operation on a child may be refused that tells a child of others from none. */
export const childErrors = [
  [401, 'Not authorized user', 'the child belongs to another account, and the caller has no right to this'],
  [404, 'Real user is not found', 'no such child, or it was deleted'],
] as const satisfies readonly ErrorDeclaration[]

/** How an operation on a child may be refused that makes no such difference. */
export const indistinctChildErrors = [
  [401, 'Not authorized user', 'the account has no such child, or no right to this'],
] as const satisfies readonly ErrorDeclaration[]

export const genderSchema = z
  .enum(['M', 'F', 'N', 'P'])
  .meta({ description: '`M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say' })

/** A child's profile as clients send it. */
export const realUserProfileInput = z.object({
  first_name: nameField,
  last_name: lineField({ most: 100 }).meta({ description: 'May be empty.' }),
  birthdate: birthdateField,
  gender: genderSchema,
})

/** A child in the format of the contract. */
export const realUserSchema = z
  .object({
    id: z.int().meta({ description: "The child's `real_user_id`" }),
    root_user_id: z.int().meta({ description: 'The account that the child belongs to' }),
    first_name: z.string(),
    last_name: z.string(),
    birthdate: z.string().meta({ description: '`yyyymmdd`' }),
    gender: genderSchema,
  })
  .meta({ id: 'Child', description: 'A child account (real user)' })
