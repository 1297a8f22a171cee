/** The address of the service. For a phone it has to be set when the app is built. */
export const address = process.env.EXPO_PUBLIC_COMPANION_URL ?? 'http://127.0.0.1:3000'
