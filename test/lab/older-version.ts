import { execFile } from 'node:child_process'
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
 * Puts the server of another commit into an empty directory, with the packages of its own lockfile. Resolves to its
 * `companion` command.
 */
export async function olderVersion(commit: string, directory: string): Promise<string> {
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', HERE, commit, directory])
  const ofServer = ['--filter', '@companion/server', '--prod', '--no-optional']
  await run('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline', ...ofServer], {
    cwd: directory,
  })
  return join(directory, 'server/src/main.ts')
}
