import type { KeyRing } from '../encryption/key-ring.ts'

/* What a change has replaced, as the trail keeps it: personal data of a child, encrypted. */

const PLACE = 'trail.old_value'

/** The text that is stored; null for nothing. */
export const encryptOldValue = (keyRing: KeyRing, value: unknown): string | null =>
  value === undefined || value === null ? null : keyRing.encrypt(PLACE, JSON.stringify(value))

/** The JSON that such a text says. */
export const decryptOldValue = (keyRing: KeyRing, stored: string): string => keyRing.decrypt(PLACE, stored)
