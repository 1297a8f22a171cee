import type { PushLink } from './push-link'

/**
 * Browsers receive none. Nor does an iPhone in this build: its own token is one of APNs, and the service sends through
 * Firebase, whose iOS package would have to be added.
 */
export const push: PushLink = {
  isAvailable: false,
  prepare: async () => undefined,
  ask: async () => undefined,
  granted: async () => undefined,
  whenTokenChanges: () => () => undefined,
}
