import { HoldDevices } from './20261121-hold-devices.ts'
import { AccountLife } from './20261120-account-life.ts'
import { Alerts } from './20261120-alerts.ts'
import { BoundedPurge } from './20261120-bounded-purge.ts'
import { Consents } from './20261120-consents.ts'
import { EraseHomeInOrder } from './20261120-erase-home-in-order.ts'
import { ExportFamily } from './20261120-export-family.ts'
import { MainJob } from './20261120-main-job.ts'
import { DevlogDeletions } from './20261120-devlog-deletions.ts'
import { HomeAndHistory } from './20261120-home-and-history.ts'
import { RejectedDevlogChild } from './20261120-rejected-devlog-child.ts'
import { StoreCompleteDevlogs } from './20261120-store-complete-devlogs.ts'
import { StoreFreshDevlogs } from './20261120-store-fresh-devlogs.ts'
import { StoreWithoutWaiting } from './20261120-store-without-waiting.ts'
import { StoreDevlogs } from './20261120-store-devlogs.ts'

/** In the order in which they are applied. */
export const migrations = [
  { name: '20261120-main-job', class: MainJob },
  { name: '20261120-store-devlogs', class: StoreDevlogs },
  { name: '20261120-home-and-history', class: HomeAndHistory },
  { name: '20261120-consents', class: Consents },
  { name: '20261120-account-life', class: AccountLife },
  { name: '20261120-alerts', class: Alerts },
  { name: '20261120-export-family', class: ExportFamily },
  { name: '20261120-devlog-deletions', class: DevlogDeletions },
  { name: '20261120-store-complete-devlogs', class: StoreCompleteDevlogs },
  { name: '20261120-bounded-purge', class: BoundedPurge },
  { name: '20261120-store-without-waiting', class: StoreWithoutWaiting },
  { name: '20261120-store-fresh-devlogs', class: StoreFreshDevlogs },
  { name: '20261120-erase-home-in-order', class: EraseHomeInOrder },
  { name: '20261120-rejected-devlog-child', class: RejectedDevlogChild },
  { name: '20261121-hold-devices', class: HoldDevices },
]
