import type { PushLink } from './push-link'

/**
 * Keeps the service at this phone's token while somebody is signed in: signing out has removed it there, and a phone
 * changes it now and then. Whether the account agreed to push messages is for the service to say, which refuses the
 * token otherwise. Returns how to stop.
 */
export function followPushToken(
  push: Pick<PushLink, 'granted' | 'whenTokenChanges'>,
  store: (token: string) => Promise<unknown>,
): () => void {
  let stored: string | undefined
  let isOver = false
  // To ask for the token is told as a change of it too.
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
