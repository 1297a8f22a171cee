import { randomInt, randomUUID } from 'node:crypto'
import type { Account } from './family.ts'
import type { TestServer } from './server.ts'

export interface BasestationCodes {
  serial_code: string
  unique_id: string
}

/** Registers a base station, as an operator does. */
export async function addBasestation(server: TestServer): Promise<BasestationCodes> {
  const codes = { serial_code: `BST-${randomInt(10 ** 9)}`, unique_id: randomUUID() }
  await server.database.sql.insertInto('basestation').values(codes).execute()
  return codes
}

const PATH = '/api/v1/beta/basestation'
type Parent = Pick<Account, 'token'>

/** The app's calls about base stations; each takes the parent who makes it. */
export const basestations = (server: TestServer) => ({
  list: async ({ token }: Parent): Promise<any[]> => (await server.get(PATH, { token })).body,
  connect: ({ token }: Parent, codes: object) => server.post(PATH, { token, json: codes }),
  disconnect: ({ token }: Parent, basestation_id: number) =>
    server.delete(`${PATH}/${basestation_id}`, { token }),
})

/** Connects a base station to the account of `token`. Registers a new one unless `codes` names one. */
export async function connectBasestation(
  server: TestServer,
  token: string,
  codes?: BasestationCodes,
): Promise<BasestationCodes & { basestation_id: number }> {
  const { serial_code, unique_id } = codes ?? (await addBasestation(server))
  const { status, body } = await basestations(server).connect({ token }, { serial_code, unique_id })
  if (status !== 200) throw new Error(`Base station not connected: ${JSON.stringify(body)}`)
  return { serial_code, unique_id, basestation_id: body.basestation_id }
}

export async function disconnectBasestation(server: TestServer, token: string, basestationId: number) {
  const { status, body } = await basestations(server).disconnect({ token }, basestationId)
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
