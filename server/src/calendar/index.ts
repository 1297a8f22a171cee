import { router } from '../http/endpoint.ts'
import { readDay } from './read-day.ts'
import { readHistory } from './read-history.ts'
import { saveEvent } from './save-event.ts'

export const calendar = router({ history: readHistory, readDay, saveEvent })
