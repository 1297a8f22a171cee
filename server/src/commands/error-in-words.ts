import { resolve, sep } from 'node:path'
import { ConfigurationError } from '../config/config.ts'
import { readDatabaseAddress } from '../config/database-address.ts'
import type { DatabaseAddress } from '../config/database-address.ts'
import { ConversionUnderWay } from '../database/mutex.ts'
import { connectionIssue } from '../database/connection-issue.ts'
import { CommandError } from './program.ts'

/**
 * Says in a sentence what an operator can act on: a mistake, an error, a database or a file that cannot be used.
 * Undefined for any other error, whose stack is needed.
 */
export function errorInWords(error: unknown): string | undefined {
  for (const kind of [CommandError, ConfigurationError, ConversionUnderWay])
    if (error instanceof kind) return error.message
  return connectionIssue(error, configuredAddress()) ?? fileIssue(error)
}

function configuredAddress(): DatabaseAddress | undefined {
  const text = process.env['DATABASE_URL']
  try {
    return text ? readDatabaseAddress(text, process.env) : undefined
  } catch {
    return undefined
  }
}

function fileIssue(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const path: unknown = Reflect.get(error, 'path')
  const reason = reasons[String(Reflect.get(error, 'code'))]
  if (typeof path !== 'string' || reason === undefined) return undefined
  const data = resolve(process.env['DATA_DIR'] || '.data')
  const isData = `${resolve(path)}${sep}`.startsWith(data + sep)
  return `${path} cannot be used: ${reason}${isData ? '; DATA_DIR names its folder' : ''}`
}

const reasons: Partial<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}
