import { sha256 } from '@noble/hashes/sha2.js'

/** The SHA-256 of an image in hexadecimal digits. React Native has none of its own. */
export const digestOf = (image: Uint8Array): string =>
  Array.from(sha256(image), (byte) => byte.toString(16).padStart(2, '0')).join('')
