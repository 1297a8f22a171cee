import { expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import { addBasestation, basestations, reading, uploadReadings } from '../../support/basestations.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, disconnect, list } = basestations(server)

test('connects and disconnects at the same time: one owner who lists it, or none', async () => {
  const [parent, other] = [await signUp(server), await signUp(server)]
  const station = await addBasestation(server)
  const { basestation_id } = (await connect(parent, station)).body
  for (let round = 0; round < 15; round += 1) {
    const responses = await Promise.all([
      connect(parent, station),
      connect(other, station),
      disconnect(parent, basestation_id),
      disconnect(other, basestation_id),
      connect(other, station),
      uploadReadings(server, [reading(station.unique_id, `2026-03-${round + 10}T22:00:00`)]),
    ])
    for (const { status } of responses) expect(status).toBeLessThan(500)
    const { rows } = await server.database.pool.query(
      `SELECT b.root_user_id, c.root_user_id AS open FROM basestation b
       LEFT JOIN basestation_connection c ON c.basestation_id = b.id AND c.disconnected_at IS NULL WHERE b.id = $1`,
      [basestation_id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].open).toBe(rows[0].root_user_id)
    expect([...(await list(parent)), ...(await list(other))]).toHaveLength(rows[0].open === null ? 0 : 1)
  }
})
