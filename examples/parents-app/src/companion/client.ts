import AsyncStorage from '@react-native-async-storage/async-storage'
import { createCompanion } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import { address } from './address'
import { appStorage } from './app-storage'

type Listener = (reason: SignedOutReason) => void
const listeners = new Set<Listener>()

/** The one client of the app. It keeps the session and renews it. */
export const companion = createCompanion({
  baseUrl: address,
  storage: appStorage,
  // The keychain is too small for the outbox.
  outboxStorage: AsyncStorage,
  onSignedOut: (reason) => {
    for (const listener of listeners) listener(reason)
  },
})

/** Calls `listener` for every session that ends. The returned function stops that. */
export function whenSignedOut(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
