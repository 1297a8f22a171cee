import type { EntityManager } from '@mikro-orm/core'
import { Basestation } from '../entities/entities.ts'

/** Lists the registered base stations, newest first. */
export async function listInventory(em: EntityManager, { limit }: { limit: number }) {
  const found = await em.find(Basestation, {}, { orderBy: { id: 'desc' }, limit })
  return found.map(({ id: basestation_id, ...basestation }) => ({ basestation_id, ...basestation }))
}
