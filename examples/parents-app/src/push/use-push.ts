import { useEffect } from 'react'
import { companion } from '../companion/client'
import { useLanguage } from '../i18n/language'
import { followPushToken } from './follow-push-token'
import { push } from './push'

/** Receives push messages on this phone while a user who agreed to them is signed in. */
export function usePush(isSignedIn: boolean) {
  const { t } = useLanguage()
  const channel = t.settings.alerts
  useEffect(() => {
    push.prepare(channel).catch(() => undefined)
  }, [channel])
  useEffect(
    () =>
      isSignedIn ? followPushToken(push, (token) => companion.account.setPushToken({ token })) : undefined,
    [isSignedIn],
  )
}
