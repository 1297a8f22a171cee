import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from './config.ts'
import type { Config } from './config.ts'

/**
 * Returns the secret that all keys are derived from: the configured one, or one generated once and kept in the data
 * directory, so that tokens survive a restart without configuration. Throws `ConfigurationError` if the file's secret is
 * too short.
 */
export async function readTokenSecret(config: Config): Promise<string> {
  if (config.tokenSecret) return config.tokenSecret
  const file = join(config.dataDirectory, 'token-secret')
  await mkdir(config.dataDirectory, { recursive: true })
  const secret = (await readIfThere(file)) ?? (await makeOnce(file))
  if (Buffer.byteLength(secret) < 32)
    throw new ConfigurationError(`${file} holds fewer than 32 bytes; remove it`)
  return secret
}

/** Uses `link`, so that exactly one of several starting processes creates the file, and the others never see half of it. */
async function makeOnce(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true })
    await link(draft, file).catch(ignoreCode('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}

function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ignoreCode('ENOENT'))
}

function ignoreCode(code: string) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== code) throw error
  }
}
