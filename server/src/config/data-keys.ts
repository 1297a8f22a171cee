import { z } from 'zod'
import type { DataKey } from '../encryption/key-ring.ts'

const FORM = 'must be a list of id:key, each key 32 bytes in base64 from `openssl rand -base64 32`'
const ENTRY = /^([\w-]{1,32}):([A-Za-z0-9+/]{43}=?)$/

/** `DATA_KEYS`: `id:base64` of 32 bytes each, with commas between. The first one encrypts, all of them decrypt. */
export const dataKeysSchema = z.string().transform((text, context): DataKey[] => {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  const keys: DataKey[] = []
  for (const entry of text.split(',')) {
    const [, id, encoded] = ENTRY.exec(entry.trim()) ?? []
    if (id === undefined || encoded === undefined) return fail(FORM)
    if (keys.some((other) => other.id === id)) return fail(`names the key "${id}" twice`)
    const key = Buffer.from(encoded, 'base64')
    if (new Set(key).size < 8)
      return fail(`holds a placeholder as "${id}"; make a key with \`openssl rand -base64 32\``)
    keys.push({ id, key })
  }
  return keys
})
