import { router } from '../http/endpoint.ts'
import { history } from './history.ts'
import { readDay } from './read-day.ts'
import { saveEvent } from './save-event.ts'

/** The operations on a child's days and their notes. */
export const calendar = router({ history, readDay, saveEvent })
