import { router } from '../http/endpoint.ts'
import { connectBasestation } from './connect-basestation.ts'
import { connectDevice } from './connect-device.ts'
import { deleteDevlogs } from './delete-devlogs.ts'
import { disconnectBasestation } from './disconnect-basestation.ts'
import { disconnectDevice } from './disconnect-device.ts'
import { exportDevlogs } from './export-devlogs.ts'
import { listBasestations } from './list-basestations.ts'
import { listDevices } from './list-devices.ts'
import { readDeviceDay } from './read-device-day.ts'
import { readDeviceHistory } from './read-device-history.ts'
import { renameDevice } from './rename-device.ts'
import { uploadDevlogs } from './upload-devlogs.ts'
import { uploadEnvironment } from './upload-environment.ts'

/** The usage logs of a device. */
export const devlogs = router({
  upload: uploadDevlogs,
  delete: deleteDevlogs,
  history: readDeviceHistory,
  detail: readDeviceDay,
  export: exportDevlogs,
})

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
