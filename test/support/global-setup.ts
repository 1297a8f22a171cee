import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { placeForData } from './machines/place-for-data.ts'
import {
  createTemplate,
  DISTRIBUTABLE_TEMPLATE,
  MONTHLY_TEMPLATE,
  startDistributed,
  TEMPLATE,
} from './template.ts'
import type { Finish } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of the run. Each test file clones its database `template`. */
    postgresUrl: string
    template: string
    /** It and the other nodes that each of its databases lies on. */
    nodeUrls: string[]
    /** Where this run records what it has seen, for the tests in `test/meta`. */
    observedDirectory: string
  }
}

interface DatabaseServer {
  /** Of its nodes. Each has a template. */
  urls: string[]
  stop: () => Promise<void>
}

const prepare: Finish = async ({ distribution }) => {
  await distribution.prepare()
  await distribution.guard()
}
const leadByMonth: Finish = ({ months }) => months.lead()

/** By `DISTRIBUTED`: a PostgreSQL, also with the functions of a distributed one, or Citus, whose coordinator may be alone. */
const SERVERS: Record<string, () => Promise<DatabaseServer>> = {
  '': async () => {
    const server = await openPostgres()
    for (const url of server.urls) {
      await createTemplate(url)
      await createTemplate(url, DISTRIBUTABLE_TEMPLATE, prepare)
      await createTemplate(url, MONTHLY_TEMPLATE, leadByMonth)
    }
    return server
  },
  functions: async () => {
    const server = await openPostgres()
    for (const url of server.urls) await createTemplate(url, TEMPLATE, prepare)
    return server
  },
  alone: () => startDistributed({ workers: 0 }),
  workers: () => startDistributed({ workers: 2 }),
}

/** Starts one database server for the whole run, with a migrated template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { DISTRIBUTED = '' } = process.env
  const open = SERVERS[DISTRIBUTED]
  if (!open) throw new Error(`DISTRIBUTED is none of ${Object.keys(SERVERS).filter(Boolean).join(', ')}`)
  return serve(project, await open())
}

/** Starts a PostgreSQL for a run of which no test asks for another form of the database. */
export async function setupPlain(project: TestProject): Promise<() => Promise<void>> {
  const server = await openPostgres()
  for (const url of server.urls) await createTemplate(url)
  return serve(project, server)
}

async function serve(project: TestProject, server: DatabaseServer): Promise<() => Promise<void>> {
  const forget = await provideRun(project, server.urls)
  return async () => {
    await server.stop()
    await forget()
  }
}

/** Defaults that no session of the service may depend on: it sets each of them itself. */
const UNUSUAL_DEFAULTS = {
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  timezone: 'Asia/Kathmandu',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '0',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  search_path: 'elsewhere',
  lock_timeout: '1s',
}

async function openPostgres(): Promise<DatabaseServer> {
  const directory = await mkdtemp(join(await placeForData(), 'companion-test-'))
  const postgres = await openEmbeddedPostgres({
    directory,
    // No data need to survive a crash of the machine.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      ...UNUSUAL_DEFAULTS,
    },
  })
  return {
    urls: [postgres.url],
    async stop() {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Tells the tests of the servers that have a template, and of a place for their records. */
export async function provideRun(project: TestProject, urls: string[]): Promise<() => Promise<void>> {
  // To all projects: `functions` uses the same server, and those in `test/meta` judge what the others have seen.
  const { vitest } = project
  vitest.provide('postgresUrl', urls[0] ?? '')
  vitest.provide('nodeUrls', urls)
  vitest.provide('template', TEMPLATE)
  const observed = await mkdtemp(join(tmpdir(), 'companion-observed-'))
  vitest.provide('observedDirectory', `${observed}/`)
  return () => rm(observed, { recursive: true, force: true })
}
