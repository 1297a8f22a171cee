import type { Database } from '../database.ts'

/** Gives the functions that stand before the tables the bodies that a distributed database needs. */
export function prepareDistribution(_database: Database): Promise<void> {
  return Promise.reject(
    new Error('The bodies of the functions for a distributed database are not written yet'),
  )
}

/** Distributes the tables that grow with the devices. */
export function distributeTables(_database: Database, _options: { shards: number }): Promise<void> {
  return Promise.reject(new Error('The tables cannot be distributed yet'))
}
