import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const HERE = resolve(import.meta.dirname, '../..')

const git = async (...args: string[]) => (await run('git', ['-C', HERE, ...args])).stdout.trim()

/** The commit before the one that brought the newest migration; undefined without the repository's history. */
export const beforeNewestMigration = async (): Promise<string | undefined> => {
  const migrations = 'server/src/database/migrations'
  try {
    return await git(
      'rev-parse',
      `${await git('log', '-1', '--diff-filter=A', '--format=%H', '--', migrations)}^`,
    )
  } catch {
    return undefined
  }
}

/**
 * Puts the server of another commit into an empty directory, with the packages that are installed here. Resolves to its
 * `companion` command.
 */
export async function olderVersion(commit: string, directory: string): Promise<string> {
  await run('sh', ['-c', 'git -C "$0" archive "$1" server | tar -x -C "$2"', HERE, commit, directory])
  for (const packages of ['node_modules', 'server/node_modules'])
    await symlink(join(HERE, packages), join(directory, packages))
  return join(directory, 'server/src/main.ts')
}
