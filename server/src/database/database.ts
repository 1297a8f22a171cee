import { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { withMutex } from './mutex.ts'
import { inspectMonthIndexes, buildMonthIndexes } from './monthly/convert.ts'
import type { MonthIndexes } from './monthly/convert.ts'
import { readDatabaseAddress } from '../config/database-address.ts'
import type { DatabaseAddress } from '../config/database-address.ts'
import {
  databaseSessionOptions,
  databaseTimeouts,
  databaseSessionSettings,
} from '../config/session-settings.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { createColumnEncryption } from './encryption.ts'
import type { Encryption } from './encryption.ts'
import { entities } from '../entities/entities.ts'
import { migrate, migrations, listPendingMigrations, schemaState } from './migrate.ts'
import type { MigrateOptions } from './migrate.ts'
import { createReplicas, createConnectionAcquirer, readFromReplica, REPLICA_TIMEOUT_MS } from './replicas.ts'
import type { AcquireConnection, Replicas } from './replicas.ts'
import { createClientClass } from './negotiated-client.ts'
import {
  listCitusTables,
  findCoordinatorAddress,
  createBreaker,
  distributeTables,
  linkRecordsToLocks,
  isBlockedByPrepared,
  prepareDistribution,
  undistribute,
} from './nodes/index.ts'
import type { NodeAddress, ConvertOptions } from './nodes/index.ts'
import { createPipelinedQuery } from './pipelined.ts'
import {
  isConnectionError,
  isNodeUnreachable,
  isOfFailedTransaction,
  isReadOnlyServerError,
} from './sql-errors.ts'
import type {
  StatementExecution,
  RunNamedStatement,
  ExecuteStatement,
  SharedStatementDefinition,
  SharedStatementRunner,
  NamedStatement,
} from './statement.ts'
import { beginUnit, limitConcurrency } from './unit-of-work.ts'

/** Beyond a statement's time, after which a connection that says nothing is taken for broken. */
const GRACE_SECONDS = 5
/** A read that a replica does not go on with should begin again. */
const SILENT_REPLICA_SECONDS = 10

class Driver extends PostgreSqlDriver {
  /** PostgreSQL's own error: the ORM's repeats the values of a refused row in its message, which is logged. */
  override convertException(error: Error) {
    return error
  }
}

/** An address as text is taken as it is, without libpq's environment variables. */
const addressOf = (given: DatabaseAddress | string) =>
  typeof given === 'string' ? readDatabaseAddress(given) : given

export const connect = (
  given: DatabaseAddress | string,
  pool: number,
  statementSeconds?: number,
  timeoutMs = 5000,
) => {
  const address = addressOf(given)
  const { host, port, user, database, connectSeconds } = address
  return MikroORM.init({
    driver: Driver,
    dbName: database,
    entities: [...entities],
    // A service may start before its database can be reached.
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migration' },
    pool: { min: 0, max: pool },
    // All that `pg` would otherwise take from libpq's environment variables.
    driverOptions: {
      Client: createClientClass(address),
      host,
      port,
      user,
      database,
      ssl: false,
      sslnegotiation: 'postgres',
      client_encoding: 'UTF8',
      connectionTimeoutMillis: connectSeconds === undefined ? timeoutMs : 1000 * connectSeconds,
      options: `${databaseSessionOptions({ ...databaseSessionSettings, ...databaseTimeouts(statementSeconds) })} ${address.options}`,
      application_name: address.applicationName,
      enableChannelBinding: address.channelBinding !== 'disable',
      pipeline: true,
    },
    logger: () => undefined,
  })
}

type Orm = Awaited<ReturnType<typeof connect>>

/** Typed SQL over the entities, with timestamps as `Date`. */
export type Sql = ReturnType<typeof typedSql>
const typedSql = (em: ReturnType<Orm['em']['fork']>) => em.getKysely({ convertValues: true })

export interface Database {
  pool: Pool
  /** Encrypts and decrypts personal columns; see docs/decisions/encryption-by-column.md. */
  keyRing: KeyRing
  encryption: Pick<Encryption, 'check' | 'begin'>
  sql: Sql
  /** Runs a prepared statement on the pool, outside any transaction. */
  query: RunNamedStatement
  /** The same, one by one on one connection: for statements that would pass over what another of them has locked. */
  querySerially: RunNamedStatement
  /** Lets several callers share a statement that stores records of devices. */
  share<Call, Result>(shared: SharedStatementDefinition<Call, Result>): SharedStatementRunner<Call, Result>
  /** The failure that a caller gets for an error of an operation when the database, or a part of it, was out of reach. */
  failureOf(error: unknown): Promise<Failure | undefined>
  /**
   * An entity manager for one unit of work, with an identity map of its own. It writes values into the text of its
   * statements, which PostgreSQL logs when one fails: nothing personal may be among them. See docs/decisions/orm-border.md.
   */
  fork(): EntityManager
  /**
   * Runs `work` in one READ COMMITTED transaction; an error rolls it back. What `work` has changed of entities of `em`
   * is flushed before the commit.
   */
  transaction<Result>(work: (sql: Sql, em: EntityManager) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` with a database that does all in one transaction, also what is written for several: its transactions are
   * savepoints. `work` ends it by `commit` or `rollback`; what it has not ended is rolled back. At most half of the pool is
   * lent so, and of that at most half to work that `waits` for other services: their work may need a second connection.
   */
  together<Result>(
    work: (unit: UnitOfWork) => Promise<Result>,
    options?: { waits?: boolean },
  ): Promise<Result>
  /**
   * Runs `work` once all that was done before is committed, which is at once outside of `together`. Its error is that of the whole
   * call. `isNeeded` when the call has not succeeded before `work` has.
   */
  onceCommitted(work: AfterCommit, options?: { isNeeded?: boolean }): Promise<void>
  /**
   * Runs `read`, which reads much, where it burdens the primary least: its snapshot comes from a replica that holds all
   * that was acknowledged before. When that fails under it, `read` is run again, on the primary.
   */
  offload<Result>(read: (snapshot: Snapshot) => Promise<Result>): Promise<Result>
  replicas: Pick<Replicas, 'state'>
  /**
   * Brings the schema up to date; processes that start together wait for each other. Returns what was applied. Functions
   * that a newer version has replaced are left alone unless `downgrade`. What it waits for goes to `warn`, or to stderr.
   */
  migrate(options?: Partial<MigrateOptions>): Promise<string[]>
  /** What `migrate` would apply. */
  pendingChanges(): Promise<string[]>
  /** Distributes it over several nodes, and back; see docs/decisions/distributed.md. */
  distribution: {
    prepare: (options?: Partial<ConvertOptions>) => Promise<void>
    distribute: (options: Partial<ConvertOptions> & { shards: number }) => Promise<void>
    /** The last step of `distribute`. */
    guard: (options?: Partial<ConvertOptions>) => Promise<void>
    undo: (options?: Partial<ConvertOptions>) => Promise<void>
  }
  /** Lets the large indexes of treatments begin with the month, and back; see docs/decisions/months-in-indexes.md. */
  months: {
    inspect: () => Promise<MonthIndexes>
    lead: (options?: Partial<ConvertOptions>) => Promise<void>
    undo: (options?: Partial<ConvertOptions>) => Promise<void>
  }
  /** Whether it can be reached and takes writes, and its schema is not older than this code. */
  isReady(): Promise<boolean>
  close(): Promise<void>
}

/** What goes on when a transaction has ended, on a connection of its own. */
export type AfterCommit = (database: Database) => Promise<void>

/** All that one call does, in one transaction. */
export interface UnitOfWork {
  database: Database
  /** Whether the call has not succeeded with the commit: something is needed that comes after. */
  isUnfinished: () => boolean
  /**
   * Runs `last`, which goes with the commit, and resolves to whether all was committed: not when a statement outside of a
   * savepoint has failed, which undoes all.
   */
  commit(last?: { statement: NamedStatement<QueryResultRow>; values: unknown[] }): Promise<boolean>
  rollback(): Promise<void>
}

/** Runs `work` in one REPEATABLE READ, READ ONLY transaction: all that it queries fits together. */
export type Snapshot = <Result>(work: (query: RunNamedStatement) => Promise<Result>) => Promise<Result>

declare module '../http/context.ts' {
  interface Context {
    database: Database
  }
}

interface Opening {
  pool?: number
  namedStatements?: boolean
  statementSeconds?: number | undefined
  /** Its streaming replicas; see docs/decisions/replicas.md. */
  replicas?: readonly (DatabaseAddress | string)[]
  /** Without it, encrypted columns can be neither read nor written. */
  keyRing?: KeyRing
}

/** Why replicas and several nodes are not used together. */
export const NO_REPLICAS = 'DATABASE_REPLICA_URLS must be empty for a distributed database'

const toStderr = (line: string) => void process.stderr.write(`${line}\n`)

const noKeys = (): never => {
  throw new Error('This database was opened without keys for its encrypted columns')
}

const unencrypted: Encryption = {
  keyRing: { current: '', isComplete: false, has: noKeys, encrypt: noKeys, decrypt: noKeys, index: noKeys },
  check: noKeys,
  known: async () => undefined,
  begin: noKeys,
  close: () => undefined,
}

/**
 * Opens a pool of at most `pool` connections to the PostgreSQL at `given`. Connects on first use. Without
 * `namedStatements` every statement is planned again, for poolers that keep none. A statement that takes longer than
 * `statementSeconds` fails; migrations may take as long as they need.
 */
export async function openDatabase(
  given: DatabaseAddress | string,
  { pool: size = 10, namedStatements = true, statementSeconds, replicas: others = [], keyRing }: Opening = {},
): Promise<Database> {
  const address = addressOf(given)
  const orm = await connect(address, size, statementSeconds)
  const pool = await poolOf(orm)
  // What is done together may need a second connection, for a limit that counts whatever becomes of it.
  const unitPool = size > 1 ? pool : await poolOf(await connect(address, 1, statementSeconds))
  const ownPools = [...new Set([pool, unitPool])]
  if (statementSeconds !== undefined)
    for (const each of ownPools) each.on('connect', giveUpWhenSilent(statementSeconds + GRACE_SECONDS))
  const replicaOrms = await Promise.all(
    others.map((replica) => connect(replica, size, statementSeconds, REPLICA_TIMEOUT_MS)),
  )
  const replicaPools = await Promise.all(replicaOrms.map(poolOf))
  for (const replica of replicaPools) replica.on('connect', giveUpWhenSilent(SILENT_REPLICA_SECONDS))
  const replicas = createReplicas(pool, replicaPools)
  let coordinator: NodeAddress | undefined
  /** Leads all connections from now on to the coordinator, if `given` is that of another node. */
  const findCoordinator = async () => {
    // The node that was named knows where the coordinator is now.
    const found = await (coordinator
      ? apart(address, 1, async (own) => findCoordinatorAddress(await poolOf(own)))
      : findCoordinatorAddress(pool))
    if (!found || isDeepStrictEqual(found, coordinator)) return
    coordinator = found
    // By which the pool makes each further connection.
    for (const each of ownPools) {
      Object.assign(each.options, found)
      await closeIdle(each)
    }
  }
  const state = () => schemaState(pool).catch(() => undefined)
  const queryOn = (runner: Pick<PoolClient, 'query'>): RunNamedStatement => {
    const run = runOn(runner, namedStatements)
    return (statement, values) => statement.ask(run, values)
  }
  const snapshotFrom =
    (lend: AcquireConnection): Snapshot =>
    (work) =>
      snapshot(lend, queryOn, work)
  /**
   * Without time limits, and with a second connection: the migrator makes its table beside the transaction. A third keeps other
   * processes out.
   */
  const unhurried = <Result>(work: (own: Orm) => Promise<Result>) =>
    apart({ ...address, ...coordinator }, 3, work)
  const oneAtATime = (work: (own: Orm) => Promise<void>) =>
    unhurried((own) => withMutex(own, () => work(own)))
  const encryption = keyRing ? createColumnEncryption(pool, keyRing) : unencrypted
  const query = queryOn(pool)
  const querySerially = createPipelinedQuery(pool, queryOn)
  const applyDue = async ({ downgrade = false, ...options }: Partial<MigrateOptions>) => {
    if (!downgrade && (await state())?.isMigrated) return []
    return unhurried((own) => migrate(own, { downgrade, warn: toStderr, ...options }))
  }
  const turnOfUnit = limitConcurrency(Math.max(1, Math.floor(size / 2)))
  const turnOfWaiting = limitConcurrency(Math.max(1, Math.floor(size / 4)))
  async function runTogether<Result>(work: (unit: UnitOfWork) => Promise<Result>) {
    const { client, kysely, ...unit } = await beginUnit(unitPool)
    const queryHere = queryOn(client)
    const afterwards: AfterCommit[] = []
    let isUnfinished = false
    let isOpen = true
    let isCommitted = false
    const forkHere = () => {
      const em = orm.em.fork()
      em.setTransactionContext(kysely())
      return em
    }
    let sqlHere: Sql | undefined
    const whole: UnitOfWork = {
      database: {
        ...opened,
        query: queryHere,
        querySerially: queryHere,
        get sql() {
          return (sqlHere ??= typedSql(forkHere()))
        },
        fork: forkHere,
        transaction: (part) => transaction(forkHere(), part),
        together: (part) => part(whole),
        async onceCommitted(next, { isNeeded = false } = {}) {
          afterwards.push(next)
          isUnfinished ||= isNeeded
        },
      },
      isUnfinished: () => isUnfinished,
      async commit(last) {
        isOpen = false
        unit.pack()
        const lastDone = last && queryHere(last.statement, last.values).catch((error: unknown) => error)
        isCommitted = await unit.commit()
        const failed = await lastDone
        if (failed instanceof Error && !isOfFailedTransaction(failed)) throw failed
        return isCommitted
      },
      async rollback() {
        isOpen = false
        await unit.rollback()
      },
    }
    try {
      const result = await work(whole)
      return { result, afterwards: isCommitted ? afterwards : [] }
    } finally {
      if (isOpen) await unit.rollback()
    }
  }
  const opened: Database = {
    pool,
    keyRing: encryption.keyRing,
    encryption,
    sql: typedSql(orm.em.fork()),
    query,
    querySerially,
    share: (shared) => createBreaker({ pool, query, querySerially }, shared),
    async failureOf(error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      // An operation may have answered an error of the database by its own.
      const isLost = error instanceof Failure ? isNodeUnreachable(cause) : isConnectionError(cause)
      if (!isLost && !(await isBlockedByPrepared(pool, cause))) return undefined
      return new Failure(...generic.partOutOfReach, { cause })
    },
    fork: () => orm.em.fork(),
    transaction: (work) =>
      transaction(orm.em.fork(), work).catch(async (error: unknown) => {
        if (isReadOnlyServerError(error)) await closeIdle(pool)
        throw error
      }),
    async together(work, { waits = false } = {}) {
      const run = () => turnOfUnit(() => runTogether(work))
      const { result, afterwards } = await (waits ? turnOfWaiting(run) : run())
      for (const next of afterwards) await next(opened)
      return result
    },
    onceCommitted: (work) => work(opened),
    offload: (read) =>
      readFromReplica(replicas, createConnectionAcquirer(pool), (lend) => read(snapshotFrom(lend))),
    replicas,
    async migrate(options = {}) {
      // Any other node would take the tables as if there were none.
      await findCoordinator()
      const applied = await applyDue(options)
      if (others.length > 0 && (await listCitusTables(pool)).length > 0) throw new Error(NO_REPLICAS)
      return applied
    },
    pendingChanges: () => unhurried(listPendingMigrations),
    distribution: {
      prepare: (options) => oneAtATime((own) => prepareDistribution(own, { warn: toStderr, ...options })),
      distribute: (options) => oneAtATime((own) => distributeTables(own, { warn: toStderr, ...options })),
      guard: (options) => unhurried((own) => linkRecordsToLocks(own, { warn: toStderr, ...options })),
      undo: (options) => oneAtATime((own) => undistribute(own, { warn: toStderr, ...options })),
    },
    months: {
      inspect: () => unhurried(inspectMonthIndexes),
      lead: (options) =>
        oneAtATime((own) => buildMonthIndexes(own, 'monthly', { warn: toStderr, ...options })),
      undo: (options) => oneAtATime((own) => buildMonthIndexes(own, 'plain', { warn: toStderr, ...options })),
    },
    async isReady() {
      const { isMigrated = false, isWritable } = (await state()) ?? {}
      if (!isMigrated) await findCoordinator().catch(() => undefined)
      if (isWritable === false) await closeIdle(pool)
      if (!isMigrated || isWritable !== true) return false
      return encryption.known().then(
        () => true,
        () => false,
      )
    },
    async close() {
      encryption.close()
      await Promise.all([orm, ...replicaOrms].map((each) => each.close()))
      // Kysely ends only a pool that it has used itself.
      await Promise.all([...ownPools, ...replicaPools].map(async (each) => each.ending || each.end()))
    },
  }
  return opened
}

/** Runs `work` on a pool of its own, without time limits. */
async function apart<Result>(
  address: DatabaseAddress,
  size: number,
  work: (own: Orm) => Promise<Result>,
): Promise<Result> {
  const own = await connect(address, size)
  const done = await work(own).catch((error: unknown) => {
    // Not waited for: a connection that its transaction has lost never comes back (kysely-org/kysely#1990). The migrator
    // runs each migration in a transaction within another, which `transaction` cannot give it.
    own.close().catch(() => undefined)
    throw error
  })
  await own.close()
  return done
}

const poolOf = ({ em }: Orm): Promise<Pool> => em.getConnection().getNativeClient()

/** Closes connections that may lead to a server which takes no writes: they would stay there when another takes its place. */
async function closeIdle(pool: Pool): Promise<void> {
  const idle = Array.from({ length: pool.idleCount }, () => pool.connect())
  for (const client of await Promise.allSettled(idle))
    if (client.status === 'fulfilled') client.value.release(true)
}

/**
 * Not by `em.transactional`: when its BEGIN, COMMIT or ROLLBACK fails, as with a connection that was lost, the pool never
 * gets the connection back (kysely-org/kysely#1990).
 */
const transaction = <Result>(
  em: ReturnType<Orm['em']['fork']>,
  work: (sql: Sql, em: EntityManager) => Promise<Result>,
): Promise<Result> =>
  em
    .getKysely()
    .transaction()
    .execute(async (begun) => {
      em.setTransactionContext(begun)
      const result = await work(typedSql(em), em)
      await em.flush()
      return result
    })

/** Uses callbacks: with pg's promises, results reached V8's old generation, and long exports filled it. */
const runOn =
  (runner: Pick<PoolClient, 'query'>, isNamed: boolean): ExecuteStatement =>
  <Row extends QueryResultRow>({ name, text, values }: StatementExecution) =>
    new Promise<Row[]>((resolve, reject) => {
      runner.query<Row>(isNamed ? { name, text, values } : { text, values }, (error, result) =>
        error ? reject(error) : resolve(result.rows),
      )
    })

/** PostgreSQL cannot tell of a statement's end when the network, or itself, has gone silent. */
const giveUpWhenSilent =
  (seconds: number) =>
  ({ connection: { stream } }: PoolClient) => {
    const giveUp = () => stream.destroy(new Error('Connection terminated, the database has gone silent'))
    if (stream instanceof Socket) stream.setTimeout(seconds * 1000, giveUp)
  }

async function snapshot<Result>(
  lend: AcquireConnection,
  queryOf: (client: PoolClient) => RunNamedStatement,
  work: (query: RunNamedStatement) => Promise<Result>,
): Promise<Result> {
  const { client, release } = await lend()
  let hasHeld = true
  const fail = (error: unknown) => {
    hasHeld = false
    throw error
  }
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').catch(fail)
    const query = queryOf(client)
    try {
      return await work((statement, values) => query(statement, values).catch(fail))
    } finally {
      await client.query('COMMIT').catch(fail)
    }
  } finally {
    release(hasHeld)
  }
}
