import { router } from '../http/endpoint.ts'
import { history } from './history.ts'
import { readDay } from './read-day.ts'
import { saveEvent } from './save-event.ts'

/** A child's days and the notes on them. */
export const calendar = router({ history, readDay, saveEvent })
