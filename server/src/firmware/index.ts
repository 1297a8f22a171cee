import { router } from '../http/endpoint.ts'
import { checkAsDevice } from './check-as-device.ts'
import { check } from './check.ts'
import { downloadAsDevice } from './download-as-device.ts'
import { download } from './download.ts'
import { reportAsDevice } from './report-as-device.ts'
import { report } from './report.ts'

/** The operations by which new firmware reaches a device: through a phone, or by a network of its own. */
export const firmware = router({ check, download, report, checkAsDevice, downloadAsDevice, reportAsDevice })
