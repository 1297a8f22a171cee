import { expect } from 'vitest'
import type { Account, DeviceCodes } from './family.ts'
import type { TestServer } from './server.ts'

const PATH = '/api/v1/beta/device'
type Parent = Pick<Account, 'token'>

/** The app's calls about devices; each takes the parent who makes it. */
export const devices = (server: TestServer) => ({
  list: async ({ token }: Parent): Promise<any[]> => (await server.get(PATH, { token })).body,
  connect: ({ token }: Parent, real_user_id: number, codes: object) =>
    server.post(PATH, { token, json: { real_user_id, ...codes } }),
  rename: ({ token }: Parent, device_id: number, device_alias: unknown) =>
    server.patch(`${PATH}/${device_id}`, { token, json: { device_alias } }),
  disconnect: ({ token }: Parent, device_id: number) => server.delete(`${PATH}/${device_id}`, { token }),
})

/** The codes that are printed on a device, without its other fields. */
export const codesOf = ({ serial_code, mac_id, unique_id }: DeviceCodes) => ({
  serial_code,
  mac_id,
  unique_id,
})

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** The entry of a newly connected device in the list. */
export const listedDevice = ({ serial_code, unique_id }: DeviceCodes, real_user_id: number) => ({
  device_id: expect.any(Number),
  real_user_id,
  serial_code,
  unique_id,
  device_alias: serial_code,
  now_firmware_id: 1,
  last_log_file_id: 0,
  created_at: moment,
  connected_at: moment,
  last_upload_at: null,
})

export const deviceErrors = {
  notAuthorized: { status: 401, body: { detail: 'Not authorized user' } },
  notFound: { status: 404, body: { detail: 'Not Found Device' } },
  taken: { status: 409, body: { detail: 'Already Connected Device' } },
}
