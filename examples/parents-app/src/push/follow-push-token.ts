import type { PushPlatform } from './push-link'

/**
 * Keeps the push token of this phone up to date at the service while a user is signed in: signing out removes the token
 * there, and a phone changes it from time to time. The service refuses the token of an account that has not agreed to push
 * messages. The returned function stops all this.
 */
export function followPushToken(
  push: Pick<PushPlatform, 'granted' | 'whenTokenChanges'>,
  store: (token: string) => Promise<unknown>,
): () => void {
  let stored: string | undefined
  let isOver = false
  // Asking for the token is also reported as a change of it.
  const give = (token: string | undefined) => {
    if (isOver || token === undefined || token === stored) return
    stored = token
    store(token).catch(() => {
      stored = undefined
    })
  }
  const unsubscribe = push.whenTokenChanges(give)
  void push.granted().then(give)
  return () => {
    isOver = true
    unsubscribe()
  }
}
