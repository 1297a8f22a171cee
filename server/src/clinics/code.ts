import { randomInt } from 'node:crypto'
import { startLimitedGuess } from '../auth/count-failures.ts'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { textField } from '../http/fields.ts'
import type { Clinic } from './connection.ts'

/** 30 characters, none of which looks like another: no 0, O, 1, I, L and U. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 12
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** Makes a code, as it is stored: 58 bits that nobody guesses within the limits. */
export const newCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** A code as people read it, in three groups. */
export const shownCode = (code: string): string => code.replaceAll(/.{4}(?=.)/g, '$&-')

/** The code that somebody has typed, as it is stored: case, hyphens, which some keyboards make dashes, and spaces do not matter. Undefined if it is none. */
export function typedCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return CODE.test(code) ? code : undefined
}

export const codeField = textField({ most: 100 }).meta({
  description: 'The code of the clinic; case, hyphens and spaces do not matter',
  examples: ['7K3M-Q9RT-2WXD'],
})

/** How a call that takes a code may be refused for it. */
export const codeErrors = [
  [404, 'Clinic not found', 'no clinic has this code'],
  [
    429,
    'Too many requests',
    '10 wrong codes of one account within 15 minutes, or 100 failures of one IP address within 10 minutes',
  ],
] as const satisfies readonly ErrorDeclaration[]

const [clinicNotFound] = codeErrors

/**
 * Finds the clinic of a code, or throws. A call is counted before it is judged and given back when the code was right, so that
 * guesses sent at once cannot exceed the limits. What is refused for the account's guesses does not count for its address, which it may
 * share with others.
 */
export async function findClinicByCode(
  ctx: Pick<Context, 'limits' | 'request'> & { database: Database },
  rootUserId: number,
  text: string,
): Promise<Clinic> {
  const settle = await startLimitedGuess(ctx)
  try {
    const clinic = await findClinicWithinLimit(ctx, rootUserId, text)
    await settle(undefined)
    return clinic
  } catch (failure) {
    await settle(failure)
    throw failure
  }
}

async function findClinicWithinLimit(
  { limits, database }: Pick<Context, 'limits'> & { database: Database },
  rootUserId: number,
  text: string,
): Promise<Clinic> {
  await limits.consume('wrongClinicCodesPerAccount', String(rootUserId))
  const clinic = await database.sql
    .selectFrom('clinic')
    .select(['id as clinic_id', 'name', 'url'])
    .where('code', '=', typedCode(text) ?? null)
    .executeTakeFirst()
  if (!clinic) throw new Failure(...clinicNotFound)
  await limits.giveBack('wrongClinicCodesPerAccount', String(rootUserId))
  return clinic
}
