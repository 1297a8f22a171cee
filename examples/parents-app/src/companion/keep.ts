import type { CompanionStorage } from '@companion/sdk'
import * as SecureStore from 'expo-secure-store'

/** What the phone keeps for the app, tokens among it: the keychain. */
export const keep: CompanionStorage = {
  getItem: SecureStore.getItemAsync,
  setItem: SecureStore.setItemAsync,
  removeItem: SecureStore.deleteItemAsync,
}
