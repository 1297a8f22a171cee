import { router } from '../http/endpoint.ts'
import { analysis } from './analysis.ts'
import { recentByDate } from './recent-by-date.ts'
import { recent } from './recent.ts'

/** The operations on a child's usage over time. */
export const charts = router({ recent, recentByDate, analysis })
