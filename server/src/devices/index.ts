import { router } from '../http/endpoint.ts'
import { connectBasestation } from './connect-basestation.ts'
import { connectDevice } from './connect-device.ts'
import { disconnectBasestation } from './disconnect-basestation.ts'
import { disconnectDevice } from './disconnect-device.ts'
import { listBasestations } from './list-basestations.ts'
import { listDevices } from './list-devices.ts'
import { renameDevice } from './rename-device.ts'
import { uploadDevlogs } from './upload-devlogs.ts'
import { uploadEnvironment } from './upload-environment.ts'

export const devlogs = router({ upload: uploadDevlogs })

/** The devices of the account's children. */
export const devices = router({
  list: listDevices,
  connect: connectDevice,
  rename: renameDevice,
  disconnect: disconnectDevice,
})

/** The base stations of the account. */
export const basestations = router({
  connect: connectBasestation,
  list: listBasestations,
  disconnect: disconnectBasestation,
  uploadEnvironment,
})
