import type { CompanionStorage } from '@companion/sdk'

/** What the browser keeps for the app. */
export const keep: CompanionStorage = window.localStorage
