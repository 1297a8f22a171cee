import { MainJob } from './20261120-main-job.ts'
import { StoreDevlogs } from './20261120-store-devlogs.ts'

/** In the order in which they are applied. */
export const migrations = [
  { name: '20261120-main-job', class: MainJob },
  { name: '20261120-store-devlogs', class: StoreDevlogs },
]
