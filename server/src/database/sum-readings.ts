import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'

/** Few enough that an upload of one of them waits for less than a second, with a reading every ten minutes for a year. */
const STATIONS_AT_ONCE = 10

/**
 * Sums what base stations measured before `reading_day` was kept, while servers go on: those of older code store readings,
 * which the trigger adds, and read no sums. Each transaction sums a few base stations whole, whose uploads wait for it.
 * Goes on where another process has ended. Tells `report` how many base stations it has summed, and about which share of
 * all is done.
 */
export async function sumReadings(
  orm: MikroORM,
  report?: (stations: number, share: number) => void,
): Promise<void> {
  const connection = orm.em.getConnection()
  let summed = 0
  let isLeft = true
  while (isLeft) {
    isLeft = await connection.transactional(async (transaction) => {
      const { rows: begun } = await sql<{ id: number }>`
        SELECT summed_station AS id FROM reading_horizon WHERE summed_station IS NOT NULL FOR UPDATE`.execute(
        transaction,
      )
      if (begun[0] === undefined) return false
      // Holds off their uploads, as far as they are not seen yet.
      const { rows: stations } = await sql<{ id: number; last: number }>`
        SELECT id, (SELECT max(id) FROM basestation) AS last FROM basestation WHERE id > ${begun[0].id} ORDER BY id LIMIT ${STATIONS_AT_ONCE} FOR UPDATE`.execute(
        transaction,
      )
      const ids = stations.map(({ id }) => id)
      await sql`DELETE FROM reading_day WHERE basestation_id = ANY (${ids}::int[])`.execute(transaction)
      await sql`
        INSERT INTO reading_day
          (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
        SELECT basestation_id, measured_at::date, root_user_id, count(*), max(measured_at),
          sum(temperature::numeric), sum(humidity::numeric), sum(brightness), sum(noise)
        FROM sleep_reading WHERE basestation_id = ANY (${ids}::int[]) GROUP BY 1, 2, 3`.execute(transaction)
      await sql`UPDATE reading_horizon SET summed_station = ${ids.at(-1) ?? null}`.execute(transaction)
      const last = stations.at(-1)
      summed += ids.length
      if (last) report?.(summed, last.id / last.last)
      return last !== undefined
    })
  }
}
