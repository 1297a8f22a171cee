import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'

/** Runs one statement, in a transaction of its own. */
export type Run = <Row extends QueryResultRow>(config: QueryConfig) => Promise<Row[]>

interface Waiting {
  send: (client: PoolClient, answered: (error: Error | undefined) => void) => void
  reject: (error: unknown) => void
}

/** What is slow holds up what shares its connection: answers come in the order of the statements. */
const MOST_TOGETHER = 8

/**
 * Runs single statements on `pool`. Those of one turn of the event loop go out on one connection, in one write: waking
 * the other side costs more than a small statement itself. Each keeps its own transaction, result and error (PostgreSQL
 * documentation, "Pipelining"; the pool's clients must allow it).
 */
export function pipelined(pool: Pool): Run {
  let waiting: Waiting[] = []
  const send = () => {
    const together = waiting
    waiting = []
    if (together.length === 0) return
    pool.connect((error, client) => {
      if (client) sendTogether(client, together)
      else for (const { reject } of together) reject(error)
    })
  }
  return <Row extends QueryResultRow>(config: QueryConfig) =>
    new Promise<Row[]>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send)
      waiting.push({
        reject,
        send: (client, answered) =>
          client.query<Row>(config, (error, result) => {
            answered(error)
            if (error) reject(error)
            else resolve(result.rows)
          }),
      })
      if (waiting.length === MOST_TOGETHER) send()
    })
}

function sendTogether(client: PoolClient, together: readonly Waiting[]): void {
  let left = together.length
  let failure: Error | undefined
  const onError = (error: Error) => {
    failure = error
  }
  client.on('error', onError)
  const answered = (error: Error | undefined) => {
    failure ??= error
    left -= 1
    if (left > 0) return
    client.off('error', onError)
    // After any error the pool makes another one: a prepared statement may have gone stale, and stays so.
    client.release(failure)
  }
  const { stream } = client.connection
  stream.cork()
  for (const { send } of together) send(client, answered)
  stream.uncork()
}
