import { router } from '../http/endpoint.ts'
import { readRecentChart } from './read-recent-chart.ts'

export const charts = router({ recent: readRecentChart })
