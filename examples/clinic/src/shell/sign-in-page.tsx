import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { companion, endOfSession } from '../companion/client'
import { useWords } from '../i18n/language'
import { Problem } from './states'
import { startSession } from './end-of-use'
import type { EndOfUse } from './end-of-use'
import { useTitle } from './use-title'

async function signIn(): Promise<void> {
  const { challenge_id, options } = await companion.auth.passkeySignInOptions()
  const credential = await startAuthentication({ optionsJSON: options })
  await startSession(() => companion.auth.passkeySignIn({ challenge_id, credential }))
}

/** `end` says why this page has ended the session, if it has; the service may already have ended it, and then gives another reason. */
export function SignInPage({ end }: { end: EndOfUse | undefined }) {
  const { t } = useWords()
  const { mutate, isPending, error } = useMutation({ mutationFn: signIn })
  const reason = end === 'signing out' ? 'signed_out' : endOfSession()
  useTitle(t.signIn.title)
  return (
    <main id="content" className="narrow">
      <p className="product">{t.product}</p>
      <h1>{t.signIn.title}</h1>
      {(end || reason) && (
        <p role="status" className="notice">
          {end === 'idle' || reason === undefined ? t.idle : t.ended[reason]}
        </p>
      )}
      <p>{t.signIn.text}</p>
      {browserSupportsWebAuthn() ? (
        <button type="button" className="main" disabled={isPending} onClick={() => mutate()}>
          {isPending ? t.signIn.waiting : t.signIn.submit}
        </button>
      ) : (
        <p role="alert">{t.passkeyFailures.unsupported}</p>
      )}
      {error && <Problem error={error} />}
      <p className="hint">{t.signIn.help}</p>
    </main>
  )
}
