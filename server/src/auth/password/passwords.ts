import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { Failure } from '../../errors/failure.ts'
import { generic } from '../../errors/generic.ts'
import { textField } from '../../http/fields.ts'

declare module '../../http/context.ts' {
  interface Context {
    /** How expensive new passwords' hashes are. */
    passwordHashing: PasswordHashing
  }
}

/** Argon2id's memory in KiB, and its passes (RFC 9106). */
const COSTS = {
  /** OWASP Password Storage Cheat Sheet. */
  strong: { memory: 19_456, passes: 2 },
  /** The least that Argon2 allows: for tests, which hash thousands of passwords. */
  fast: { memory: 8, passes: 1 },
}
type PasswordHashing = keyof typeof COSTS

const TAG_BYTES = 32
const LONGEST_QUEUE = 200

/** A password as it is chosen: 8 to 128 characters of any kind. */
export const newPasswordSchema = textField({ least: 8, most: 128, isComposed: true }).meta({
  format: 'password',
})

const derive = promisify(argon2)

// Argon2 runs on libuv's threads. One core is left to everybody else (50 sign-ins at once slow `user/me` down 5 to 11
// times otherwise, see test/bench/sign-in-load.ts), and an endless queue would answer nobody in time.
const queue = pLimit(Math.max(1, Math.min(availableParallelism() - 1, 3)))

function hashed(password: string, salt: Buffer, cost: { memory: number; passes: number }): Promise<Buffer> {
  if (queue.pendingCount >= LONGEST_QUEUE)
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': '5' } })
  // Normalized, because keyboards differ in how they compose the same letter.
  const input = { message: password.normalize('NFC'), nonce: salt, parallelism: 1, tagLength: TAG_BYTES }
  return queue(() => derive('argon2id', { ...input, ...cost }))
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** The password as it is kept: a PHC string. */
export async function hashPassword(password: string, hashing: PasswordHashing = 'strong'): Promise<string> {
  const cost = COSTS[hashing]
  const salt = randomBytes(16)
  const tag = await hashed(password, salt, cost)
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${base64(salt)}$${base64(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(?<memory>\d+),t=(?<passes>\d+),p=1\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/

/** Whether `password` is the one kept as `stored`, with the cost that it was kept with. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { memory, passes, salt = '', tag = '' } = PHC.exec(stored)?.groups ?? {}
  const cost = { memory: Number(memory), passes: Number(passes) }
  const found = await hashed(password, Buffer.from(salt, 'base64'), cost)
  return timingSafeEqual(found, Buffer.from(tag, 'base64'))
}
