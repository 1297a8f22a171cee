import { CompiledQuery, Kysely, PostgresDialect, PostgresDriver } from 'kysely'
import type { DatabaseConnection, PostgresPool } from 'kysely'
import type { Pool, PoolClient } from 'pg'

/** A connection with an open transaction, to which all that `kysely` and `client` do belongs. */
export interface UnitConnection {
  client: PoolClient
  /** Lets the statements that follow at once go together. */
  pack: () => void
  /** Its transactions are savepoints. */
  kysely: () => Kysely<unknown>
  /** Resolves to whether all of it was committed: a statement that failed, and was not in a savepoint, undoes all. */
  commit: () => Promise<boolean>
  rollback: () => Promise<void>
}

/** A transaction within the open one, of which each has at most one at a time. */
class SavepointDriver extends PostgresDriver {
  override beginTransaction = (connection: DatabaseConnection) => run(connection, 'SAVEPOINT part')
  override commitTransaction = (connection: DatabaseConnection) => run(connection, 'RELEASE SAVEPOINT part')
  override rollbackTransaction = (connection: DatabaseConnection) =>
    run(connection, 'ROLLBACK TO SAVEPOINT part')
}

const run = async (connection: DatabaseConnection, text: string): Promise<void> => {
  await connection.executeQuery(CompiledQuery.raw(text))
}

/** Does all on one connection, which goes back to the pool when the whole has ended. */
class SavepointDialect extends PostgresDialect {
  readonly #pool: PostgresPool

  constructor(client: PoolClient) {
    const pool: PostgresPool = {
      options: {},
      connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
      end: async () => undefined,
    }
    super({ pool })
    this.#pool = pool
  }

  override createDriver = () => new SavepointDriver({ pool: this.#pool })
}

/** Begins a transaction on a connection of `pool`. */
export async function beginUnit(pool: Pool): Promise<UnitConnection> {
  const client = await pool.connect()
  // Statements that are sent in one turn of the event loop go in one packet.
  const pack = () => {
    const { stream } = client.connection
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
  pack()
  // Not waited for: the first statement goes with it, and fails with it.
  const begun = client.query('BEGIN').then(
    () => true,
    () => false,
  )
  let kysely: Kysely<unknown> | undefined
  const end = async (text: 'COMMIT' | 'ROLLBACK') => {
    try {
      const { command } = await client.query(text)
      const isWhole = await begun
      client.release(!isWhole)
      return isWhole && command === text
    } catch (error) {
      client.release(true)
      throw error
    }
  }
  return {
    client,
    pack,
    kysely: () => (kysely ??= new Kysely({ dialect: new SavepointDialect(client) })),
    commit: () => end('COMMIT'),
    rollback: async () => {
      await end('ROLLBACK').catch(() => undefined)
    },
  }
}

/** Lets at most `most` be at work at once; the others wait for their turn. */
export function limitConcurrency(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = most
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
