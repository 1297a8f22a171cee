import type { Pool, PoolClient } from 'pg'
import type { Query } from './statement.ts'

/** A connection, kept as long as a statement waits on it. */
class Line {
  isOpen = true
  #waiting = 0
  #failure: Error | undefined
  readonly #client: Promise<PoolClient>
  readonly #query: Promise<Query>

  constructor(pool: Pool, queryOn: (client: PoolClient) => Query) {
    this.#client = pool.connect()
    this.#query = this.#client.then((client) => {
      client.on('error', this.#fail)
      return queryOn(client)
    })
  }

  readonly query: Query = async (statement, values) => {
    this.#waiting += 1
    try {
      const query = await this.#query
      return await query(statement, values)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
      throw error
    } finally {
      this.#waiting -= 1
      if (this.#waiting === 0) this.#close()
    }
  }

  /** After any error the pool makes another connection: a prepared statement may have gone stale, and stays so. */
  readonly #fail = (error: Error) => {
    this.isOpen = false
    this.#failure ??= error
  }

  #close(): void {
    this.isOpen = false
    const giveBack = (client: PoolClient) => {
      client.off('error', this.#fail)
      client.release(this.#failure)
    }
    this.#client.then(giveBack, () => undefined)
  }
}

/**
 * Runs statements one after the other on one connection of `pool`, each sent before the one ahead of it is answered
 * (PostgreSQL documentation, "Pipelining"; the pool's clients must allow it): the next one is at hand when PostgreSQL
 * has done with the last, and none waits for the locks of another. Each keeps its own transaction, result and error.
 */
export function pipelined(pool: Pool, queryOn: (client: PoolClient) => Query): Query {
  let line: Line | undefined
  return (statement, values) => {
    if (!line?.isOpen) line = new Line(pool, queryOn)
    return line.query(statement, values)
  }
}
