import { isSignedOut } from '@companion/sdk'
import { describeFailure } from '../i18n/describe-failure'
import { useLanguage } from '../i18n/language'
import { Notice } from './notice'

/** Tells why a call failed, if it did. The sign-in screen tells why a session ended. */
export function Failure({ error }: { error: unknown }) {
  const { t } = useLanguage()
  return error && !isSignedOut(error) ? <Notice kind="danger" text={describeFailure(error, t)} /> : null
}
