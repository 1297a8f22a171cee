import * as Notifications from 'expo-notifications'
import type { PushPlatform } from './push-link'

/**
 * The service's messages name no channel. While the app is open, expo-notifications then uses the channel with this id.
 * Otherwise Firebase uses the channel named in app.json, which is the same.
 */
const CHANNEL = 'expo_notifications_fallback_notification_channel'

const token = async () => {
  const { data } = await Notifications.getDevicePushTokenAsync()
  return typeof data === 'string' ? data : undefined
}

// Messages are shown while the app is open too.
Notifications.setNotificationHandler({
  handleNotification: async () => ({
    shouldShowBanner: true,
    shouldShowList: true,
    shouldPlaySound: true,
    shouldSetBadge: false,
  }),
})

export const push: PushPlatform = {
  isAvailable: true,
  prepare: async (name) => {
    await Notifications.setNotificationChannelAsync(CHANNEL, {
      name,
      importance: Notifications.AndroidImportance.HIGH,
    })
  },
  ask: async () => {
    try {
      const { granted } = await Notifications.requestPermissionsAsync()
      return granted ? await token() : undefined
    } catch {
      // This is an emulator, or a phone without Google's services.
      return undefined
    }
  },
  granted: async () => {
    try {
      const { granted } = await Notifications.getPermissionsAsync()
      return granted ? await token() : undefined
    } catch {
      return undefined
    }
  },
  whenTokenChanges: (listener) => {
    const changes = Notifications.addPushTokenListener(({ data }) => {
      if (typeof data === 'string') listener(data)
    })
    return () => changes.remove()
  },
}
