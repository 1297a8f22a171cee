import type { Pool, PoolClient } from 'pg'
import type { RunNamedStatement } from './statement.ts'

/** A connection goes back after this number of statements, so that others do not wait long for one. */
const MOST_IN_A_ROW = 200

/** A connection, kept as long as a statement waits on it. */
class Line {
  isOpen = true
  readonly ended: Promise<void>
  readonly #end: () => void
  #statements = 0
  #waiting = 0
  #isBroken = false
  readonly #client: Promise<PoolClient>
  readonly #query: Promise<RunNamedStatement>

  constructor(
    pool: Pool,
    queryOn: (client: PoolClient) => RunNamedStatement,
    after: Promise<void> | undefined,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#end = resolve
    this.#client = Promise.resolve(after).then(() => pool.connect())
    this.#query = this.#client.then(queryOn)
  }

  readonly query: RunNamedStatement = async (statement, values) => {
    this.#statements += 1
    this.#waiting += 1
    if (this.#statements === MOST_IN_A_ROW) this.isOpen = false
    try {
      const query = await this.#query
      return await query(statement, values)
    } catch (error) {
      // The pool makes another one: a prepared statement may have gone stale, and stays so.
      this.#isBroken = true
      this.isOpen = false
      throw error
    } finally {
      this.#waiting -= 1
      if (this.#waiting === 0) this.#giveBack()
    }
  }

  #giveBack(): void {
    this.isOpen = false
    const release = (client: PoolClient) => client.release(this.#isBroken)
    void this.#client.then(release, () => undefined).finally(this.#end)
  }
}

/**
 * Runs statements one after the other on one connection of `pool`, each sent before the one ahead of it is answered
 * (PostgreSQL documentation, "Pipelining"; the pool's clients must allow it): the next one is at hand when PostgreSQL
 * has done with the last, and none waits for the locks of another. Each keeps its own transaction, result and error.
 */
export function createPipelinedQuery(
  pool: Pool,
  queryOn: (client: PoolClient) => RunNamedStatement,
): RunNamedStatement {
  let line: Line | undefined
  return (statement, values) => {
    if (!line?.isOpen) line = new Line(pool, queryOn, line?.ended)
    return line.query(statement, values)
  }
}
