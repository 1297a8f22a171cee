import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { text } from '../http/fields.ts'

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB and 2 passes (RFC 9106). */
const MEMORY_KIB = 19_456
const PASSES = 2
const TAG_BYTES = 32
const LONGEST_QUEUE = 200

/** A password as it is chosen: 8 to 128 characters of any kind. */
export const newPassword = text({ least: 8, most: 128 }).meta({ format: 'password' })

const derive = promisify(argon2)

// Argon2 runs on libuv's threads. One core is left to everybody else (50 sign-ins at once slow `user/me` down 5 to 11
// times otherwise, see test/bench/sign-in-load.ts), and an endless queue would answer nobody in time.
const queue = pLimit(Math.max(1, Math.min(availableParallelism() - 1, 3)))

function hashed(password: string, salt: Buffer): Promise<Buffer> {
  if (queue.pendingCount >= LONGEST_QUEUE)
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': '5' } })
  // Normalized, because keyboards differ in how they compose the same letter.
  const input = { message: password.normalize('NFC'), nonce: salt, parallelism: 1, tagLength: TAG_BYTES }
  return queue(() => derive('argon2id', { ...input, memory: MEMORY_KIB, passes: PASSES }))
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** The password as it is kept: a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await hashed(password, salt)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${base64(salt)}$${base64(tag)}`
}

/** Whether `password` is the one kept as `stored`. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, , , , salt = '', tag = ''] = stored.split('$')
  return timingSafeEqual(await hashed(password, Buffer.from(salt, 'base64')), Buffer.from(tag, 'base64'))
}
