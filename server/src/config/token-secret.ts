import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from './config.ts'
import type { Config } from './config.ts'

/**
 * The secret that all keys are derived from: the configured one, or one made once and kept in the data directory,
 * so that tokens outlive a restart of a service that nobody has configured.
 */
export async function readTokenSecret(config: Config): Promise<string> {
  if (config.tokenSecret) return config.tokenSecret
  const file = join(config.dataDirectory, 'token-secret')
  await mkdir(config.dataDirectory, { recursive: true })
  // `wx` lets exactly one of several starting processes make it.
  await writeFile(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' }).catch(
    ignoreExisting,
  )
  const secret = await readFile(file, 'utf8')
  if (Buffer.byteLength(secret) < 32)
    throw new ConfigurationError(`${file} holds fewer than 32 bytes; remove it`)
  return secret
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
