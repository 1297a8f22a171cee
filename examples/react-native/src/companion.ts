import AsyncStorage from '@react-native-async-storage/async-storage'
import { createCompanion, isOffline, errorResponseOf } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import * as SecureStore from 'expo-secure-store'
import { Platform } from 'react-native'

const isWeb = Platform.OS === 'web'
const listeners = new Set<(reason: SignedOutReason) => void>()

/** The app's one client. It keeps the session, renews it, and sends what waits in the outbox. */
export const companion = createCompanion({
  // A phone has to be told the address; a browser finds the service behind the page's own.
  baseUrl:
    process.env.EXPO_PUBLIC_COMPANION_URL ?? (isWeb ? window.location.origin : 'http://127.0.0.1:3000'),
  // Tokens belong in the keychain, readable while the phone is locked too, because the app may run in the background. It
  // is too small for notes that wait, and browsers have none.
  storage: isWeb
    ? AsyncStorage
    : {
        getItem: SecureStore.getItemAsync,
        setItem: (key, value) =>
          SecureStore.setItemAsync(key, value, { keychainAccessible: SecureStore.AFTER_FIRST_UNLOCK }),
        removeItem: SecureStore.deleteItemAsync,
      },
  outboxStorage: AsyncStorage,
  onSignedOut: (reason) => listeners.forEach((listener) => listener(reason)),
})

/** Calls `listener` when a session ends, for any reason. The returned function stops that. */
export function onSignedOut(listener: (reason: SignedOutReason) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The text for the user about an error. An app for parents has texts of its own instead of the service's. */
export function describe(error: unknown): string {
  if (isOffline(error)) return 'The service cannot be reached. Please check your connection.'
  const detail = errorResponseOf(error)?.detail ?? 'Something went wrong. Please try again.'
  return Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join('\n') : detail
}
