import type { CompanionStorage } from '@companion/sdk'
import * as SecureStore from 'expo-secure-store'

// Readable while the phone is locked too: the app may run in the background, where the default answers nothing.
const options = { keychainAccessible: SecureStore.AFTER_FIRST_UNLOCK }

/** The storage for the session, with its tokens, and for settings: the keychain of the phone. */
export const appStorage: CompanionStorage = {
  getItem: SecureStore.getItemAsync,
  setItem: (key, value) => SecureStore.setItemAsync(key, value, options),
  removeItem: SecureStore.deleteItemAsync,
}
