import { randomInt, randomUUID } from 'node:crypto'
import type { TestServer } from './server.ts'

export interface BasestationCodes {
  serial_code: string
  unique_id: string
}

/** Registers a base station, as the operator does. */
export async function addBasestation(server: TestServer): Promise<BasestationCodes> {
  const codes = { serial_code: `BST-${randomInt(10 ** 9)}`, unique_id: randomUUID() }
  await server.database.sql.insertInto('basestation').values(codes).execute()
  return codes
}

/** Connects a base station to the account of `token`; a new one unless `codes` names one. */
export async function connectBasestation(
  server: TestServer,
  token: string,
  codes?: BasestationCodes,
): Promise<BasestationCodes & { basestation_id: number }> {
  const { serial_code, unique_id } = codes ?? (await addBasestation(server))
  const { status, body } = await server.post('/api/v1/beta/basestation', {
    token,
    json: { serial_code, unique_id },
  })
  if (status !== 200) throw new Error(`Base station not connected: ${JSON.stringify(body)}`)
  return { serial_code, unique_id, basestation_id: body.basestation_id }
}

export async function disconnectBasestation(server: TestServer, token: string, basestationId: number) {
  const { status, body } = await server.delete(`/api/v1/beta/basestation/${basestationId}`, { token })
  if (status !== 200) throw new Error(`Base station not disconnected: ${JSON.stringify(body)}`)
}

/** One reading as a base station sends it. */
export const reading = (
  unique_id: string,
  measured_at: string,
  values: Partial<Record<'temperature' | 'humidity' | 'brightness' | 'noise', number>> = {},
) => ({ unique_id, measured_at, temperature: 21.5, humidity: 45, brightness: 3, noise: 30, ...values })

export const uploadReadings = (server: TestServer, items: unknown[], headers: Record<string, string> = {}) =>
  server.post('/api/v1/gamma/basestation/environment', { json: items, headers })
