import { router } from '../http/endpoint.ts'
import { latest } from './latest.ts'
import { submit } from './submit.ts'

/** The operations on a child's survey scores. */
export const surveys = router({ submit, latest })
