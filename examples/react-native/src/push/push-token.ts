import * as Notifications from 'expo-notifications'

/** Asks for the permission and for the token that reaches this phone; undefined when either cannot be had. */
export async function askForPushToken(): Promise<string | undefined> {
  try {
    const { granted } = await Notifications.requestPermissionsAsync()
    if (!granted) return undefined
    const { data } = await Notifications.getDevicePushTokenAsync()
    return typeof data === 'string' ? data : undefined
  } catch {
    // An emulator, or a phone without push services.
    return undefined
  }
}
