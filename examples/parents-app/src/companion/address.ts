/** Where the service is; on a phone it has to be given when the app is built. */
export const address = process.env.EXPO_PUBLIC_COMPANION_URL ?? 'http://127.0.0.1:3000'
