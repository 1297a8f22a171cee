import { companion } from './command.ts'
import type { DeviceCodes } from './family.ts'
import type { TestServer } from './server.ts'

/** Calls of clients of hawkBit. */
export const ddi = (server: TestServer) => ({
  /** Has an operator make the key of a device, of some hardware. Resolves to the key. */
  withKey: async ({ serial_code, mac_id, unique_id }: DeviceCodes, hardware: string): Promise<string> => {
    const codes = ['--serial-code', serial_code, '--mac-id', mac_id, '--unique-id', unique_id]
    const { result, said } = await companion(
      server,
      'device',
      'add',
      ...codes,
      '--hardware',
      hardware,
      '--ddi',
      '--json',
    )
    if (!result) throw new Error(said)
    return result.ddi_key
  },
  call: ({ unique_id, key }: { unique_id: string; key: string }, path = '', init: RequestInit = {}) =>
    fetch(`${server.url}/DEFAULT/controller/v1/${unique_id}${path}`, {
      ...init,
      headers: { authorization: `TargetToken ${key}`, ...Object(init.headers) },
    }),
})
