import type { PushPlatform } from './push-link'

/**
 * Browsers receive no push messages, and neither does an iPhone in this build: its token is for APNs, but the service sends
 * through Firebase, whose iOS package would have to be added.
 */
export const push: PushPlatform = {
  isAvailable: false,
  prepare: async () => undefined,
  ask: async () => undefined,
  granted: async () => undefined,
  whenTokenChanges: () => () => undefined,
}
