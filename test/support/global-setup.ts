import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readConfig } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import { purge } from '@companion/server/database/purge.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of the run. Each test file clones its database `template`. */
    postgresUrl: string
    /** Where this run records what it has seen, for the tests in `test/meta`. */
    observedDirectory: string
  }
}

/** Starts one PostgreSQL for the whole run, with a migrated template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(await placeForData(), 'companion-test-'))
  const postgres = await openEmbeddedPostgres({
    directory,
    // No data need to survive a crash of the machine.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const forget = await provideRun(project, postgres.url)
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
    await forget()
  }
}

const ROOM_BYTES = 4 * 1024 ** 3

/** In Linux's memory, if it has room: to clone a database there takes 10 ms of processor time, on ext4 135 ms. */
async function placeForData(): Promise<string> {
  const memory = '/dev/shm'
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room > ROOM_BYTES ? memory : tmpdir()
}

/** Creates the template on a run's PostgreSQL, and a place for the run's records. */
export async function provideRun(project: TestProject, url: string): Promise<() => Promise<void>> {
  const admin = await openDatabase(url, { pool: 1 })
  await admin.pool.query('CREATE DATABASE template')
  await admin.close()
  const template = await openDatabase(urlOf(url, 'template'), { pool: 2 })
  await template.migrate()
  // Makes the partitions that each server would have to make in its clone.
  await purge(template, readConfig({}))
  await template.close()
  project.provide('postgresUrl', url)
  const observed = await mkdtemp(join(tmpdir(), 'companion-observed-'))
  project.vitest.provide('observedDirectory', `${observed}/`)
  return () => rm(observed, { recursive: true, force: true })
}

export function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
