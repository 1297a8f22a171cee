import { createCompanion } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import { forgetReads, queryClient } from './query-client'
import { announceSessionEnd } from './session-end'

let reason: SignedOutReason | undefined

/** The one client of the application, for the service that serves it. Its tabs share the session; nothing that was read outlives it. */
export const companion = createCompanion({
  baseUrl: location.origin,
  storage: localStorage,
  client: 'companion-clinic/0.1.0',
  onSignedOut: (ended) => {
    reason = ended
    queryClient.clear()
    announceSessionEnd()
  },
})

let lastUserId: number | undefined
companion.session.subscribe(({ rootUserId }) => {
  if (rootUserId === undefined) return
  // Somebody else has accepted an invitation in another tab.
  if (lastUserId !== undefined && lastUserId !== rootUserId) {
    forgetReads()
    announceSessionEnd()
  }
  lastUserId = rootUserId
})

/** Why the last session of this page ended; undefined as long as none has. */
export const endOfSession = (): SignedOutReason | undefined => reason
