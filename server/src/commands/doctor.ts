import { formatDatabaseAddress } from '../config/database-address.ts'
import type { DatabaseAddress } from '../config/database-address.ts'
import type { Config } from '../config/config.ts'
import { connectionIssue } from '../database/connection-issue.ts'
import { openDatabase } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { inspectDatabaseSession } from './inspect-database-session.ts'
import { inspectOutgoingConnections } from '../delivery/inspect-outgoing-connections.ts'
import type { OutgoingConnection } from '../delivery/inspect-outgoing-connections.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, openDatabaseForCommand, printResult } from './program.ts'
import { table } from './table.ts'

interface Inspected extends OutgoingConnection {
  /** Of a database, by how many seconds its clock is ahead. */
  clock_ahead?: number
}

export const doctorCommand = createCommand('doctor', descriptions.doctor, 'doctor', 'doctor --json').action(
  async (options: { json?: boolean }) => {
    const { config, database, close } = await openDatabaseForCommand({ isLimited: true })
    let ways: Inspected[]
    try {
      ways = (
        await Promise.all([
          inspectDatabase('database', config.database, database, config),
          ...config.databaseReplicas.map((address) => inspectReplica(address, config)),
          inspectOutgoingConnections(config),
        ])
      ).flat()
    } finally {
      await close()
    }
    const lines = table(
      ['way', 'to', 'encryption', 'verified', 'clock', 'not right'],
      ways.map(({ way, to, encryption, is_verified, clock_ahead, issue }) => [
        way,
        to,
        encryption,
        is_verified ? 'yes' : 'no',
        clock_ahead === undefined ? '' : `${clock_ahead < 0 ? '' : '+'}${clock_ahead} s`,
        issue,
      ]),
      '',
    )
    printResult({ now: new Date(), ways }, options, `It is ${new Date().toISOString()}\n\n${lines}`)
    if (ways.some(({ issue }) => issue !== null)) process.exitCode = 1
  },
)

async function inspectReplica(address: DatabaseAddress, config: Config): Promise<Inspected> {
  const database = await openDatabase(address, { ...config, pool: 1, replicas: [] })
  try {
    return await inspectDatabase('replica', address, database, config)
  } finally {
    await database.close()
  }
}

async function inspectDatabase(
  way: 'database' | 'replica',
  address: DatabaseAddress | undefined,
  database: Database,
  { statementSeconds }: Config,
): Promise<Inspected> {
  const to = address ? formatDatabaseAddress(address) : 'embedded'
  const isVerified = ['verify-ca', 'verify-full'].includes(address?.tls.mode ?? '')
  try {
    const { encryption, clock_ahead, issues } = await inspectDatabaseSession(
      database,
      address,
      statementSeconds,
    )
    const issue = issues.length > 0 ? issues.join('; ') : null
    return { way, to, encryption, is_verified: encryption !== null && isVerified, clock_ahead, issue }
  } catch (error) {
    const issue = connectionIssue(error, address, variables[way])
    if (issue === undefined) throw error
    return { way, to, encryption: null, is_verified: false, issue }
  }
}

const variables = { database: 'DATABASE_URL', replica: 'DATABASE_REPLICA_URLS' }
