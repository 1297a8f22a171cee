import type { Pool, PoolClient } from 'pg'

/** Runs `work` and counts the bytes that PostgreSQL sends to `pool` until it ends. */
export async function bytesFromDatabase<Result>(
  pool: Pool,
  work: () => Promise<Result>,
): Promise<{ result: Result; bytes: number }> {
  const before = new Map<PoolClient, number>()
  const received = (client: PoolClient) => Number(Reflect.get(client.connection.stream, 'bytesRead'))
  const note = (client: PoolClient) => {
    if (!before.has(client)) before.set(client, received(client))
  }
  pool.on('acquire', note)
  try {
    const result = await work()
    let bytes = 0
    for (const [client, earlier] of before) bytes += received(client) - earlier
    return { result, bytes }
  } finally {
    pool.off('acquire', note)
  }
}
