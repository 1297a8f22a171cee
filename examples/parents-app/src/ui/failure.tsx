import { isSignedOut } from '@companion/sdk'
import { describeFailure } from '../i18n/describe-failure'
import { useLanguage } from '../i18n/language'
import { Notice } from './notice'

/** Tells what a call failed of, if it did. That the session ended is told by the sign-in screen. */
export function Failure({ error }: { error: unknown }) {
  const { t } = useLanguage()
  return error && !isSignedOut(error) ? <Notice kind="danger" text={describeFailure(error, t)} /> : null
}
