import type { CompanionStorage } from '@companion/sdk'

/** The storage for the session and for settings: that of the browser. */
export const appStorage: CompanionStorage = window.localStorage
