import AsyncStorage from '@react-native-async-storage/async-storage'
import { createCompanion } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import { address } from './address'
import { keep } from './keep'

type Listener = (reason: SignedOutReason) => void
const listeners = new Set<Listener>()

/** The one client of the app: sessions and refreshes are kept in it. */
export const companion = createCompanion({
  baseUrl: address,
  storage: keep,
  // A keychain takes no more than the session.
  outboxStorage: AsyncStorage,
  onSignedOut: (reason) => {
    for (const listener of listeners) listener(reason)
  },
})

/** Hears of every session that ends; returns how to stop that. */
export function whenSignedOut(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
