import type { CompanionStorage } from '@companion/sdk'
import * as SecureStore from 'expo-secure-store'

/** The storage for the session, with its tokens, and for settings: the keychain of the phone. */
export const keep: CompanionStorage = {
  getItem: SecureStore.getItemAsync,
  setItem: SecureStore.setItemAsync,
  removeItem: SecureStore.deleteItemAsync,
}
