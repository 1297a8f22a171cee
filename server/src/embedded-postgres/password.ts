import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'

/** The password kept in `file`; undefined when the file is gone or was cut off while it was written. */
export async function readPassword(file: string): Promise<string | undefined> {
  const content = await fs.readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  return content.trim() || undefined
}

/** Keeps a password for its owner alone. */
export async function writePassword(file: string, password: string): Promise<void> {
  await fs.rm(file, { force: true })
  await fs.writeFile(file, password, { mode: 0o600, flush: true })
}

export const newPassword = () => randomBytes(24).toString('base64url')

/** The form in which PostgreSQL keeps a password (RFC 5803). Sent in its place, it betrays nothing to a log. */
export function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(key('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`
}
