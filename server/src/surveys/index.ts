import { router } from '../http/endpoint.ts'
import { latest } from './latest.ts'
import { submit } from './submit.ts'

/** Survey scores of a child. */
export const surveys = router({ submit, latest })
