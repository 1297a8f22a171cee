import { z } from 'zod'

const EMAIL = z.email({ pattern: z.regexes.html5Email })

/** The last label of a domain: a number would make it an address of a machine (RFC 5321, 2.3.5 and 4.1.3). */
const DOMAIN = /\.(?!\d+$)[\da-z-]+$/i

/** Whether `value` is an e-mail address at a domain of the internet: no name without a dot, no address literal. */
export const isEmail = (value: string): boolean =>
  value.length <= 254 && DOMAIN.test(value) && EMAIL.safeParse(value).success
