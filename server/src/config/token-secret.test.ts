import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { readTokenSecret } from './token-secret.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-secret-'))
})

afterEach(() => rm(directory, { recursive: true }))

const configured = (environment: Record<string, string> = {}) =>
  readConfig({ DATA_DIR: directory, ...environment })

describe('the token secret', () => {
  // Regression: when the file was written in place, another process read half of it about once in a hundred rounds.
  test('is the same for all who ask first at the same time, and stays', async () => {
    for (let round = 0; round < 300; round++) {
      const config = configured({ DATA_DIR: join(directory, String(round)) })
      const asked = Array.from({ length: 3 + (round % 2) }, () => readTokenSecret(config))
      const [secret, ...others] = await Promise.all(asked)
      for (const other of others) expect(other).toBe(secret)
      expect(await readTokenSecret(config)).toBe(secret)
      expect(await readdir(config.dataDirectory)).toEqual(['token-secret'])
    }
  })

  test('can be read by its owner only', async () => {
    await readTokenSecret(configured())
    expect((await stat(join(directory, 'token-secret'))).mode & 0o777).toBe(0o600)
  })

  test('is the configured one where there is one', async () => {
    const secret = 'a secret of the operator, long enough'
    expect(await readTokenSecret(configured({ TOKEN_SECRET: secret }))).toBe(secret)
    expect(await readdir(directory)).toEqual([])
  })

  test('too short in its file is an error that names the file', async () => {
    await writeFile(join(directory, 'token-secret'), 'short')
    await expect(readTokenSecret(configured())).rejects.toThrow(
      `${join(directory, 'token-secret')} holds fewer than 32 bytes; remove it`,
    )
  })
})
