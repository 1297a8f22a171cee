import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { companion } from '../companion/client'
import { forgetReads } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { Failure, Loading, Problem } from './states'
import { startSession } from './end-of-use'
import { useTitle } from './use-title'

/** Reads an invitation again, as what makes a passkey is good for five minutes, and accepts it. */
async function accept({ token, name }: { token: string; name: string }): Promise<number> {
  const { challenge_id, options, clinic } = await companion.auth.openClinicianInvitation({ token })
  const credential = await startRegistration({ optionsJSON: options })
  await startSession(() =>
    companion.auth.clinicianSignUp({ token, challenge_id, first_name: name, credential }),
  )
  return clinic.clinic_id
}

/** The page of the link in an invitation's mail. */
export function InvitationPage() {
  const { t } = useWords()
  useTitle(t.invitation.title)
  const [token] = useState(() => new URLSearchParams(location.search).get('token') ?? '')
  // The address stays in the history of a computer that several people use.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  if (token === '')
    return (
      <main id="content" className="narrow">
        <h1>{t.invitation.title}</h1>
        <p role="alert">{t.invitation.missing}</p>
      </main>
    )
  return <Invitation token={token} />
}

function Invitation({ token }: { token: string }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation'],
    queryFn: () => companion.auth.openClinicianInvitation({ token }),
    staleTime: Infinity,
    gcTime: 0,
  })
  const acceptance = useMutation({
    mutationFn: accept,
    onSuccess: async (clinicId) => {
      // Somebody who was signed in before works in one clinic more now.
      forgetReads()
      await navigate({ to: '/$clinicId', params: { clinicId }, replace: true })
    },
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <main id="content" className="narrow">
      <p className="product">{t.product}</p>
      <h1>{t.invitation.join(data.clinic.name)}</h1>
      <p>{t.invitation.text(data.email)}</p>
      {browserSupportsWebAuthn() ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            acceptance.mutate({ token, name: name.trim() })
          }}
        >
          <label>
            {t.invitation.name}
            <input
              name="name"
              autoComplete="name"
              required
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
              aria-describedby="name-hint"
            />
          </label>
          <p className="hint" id="name-hint">
            {t.invitation.nameHint}
          </p>
          <button type="submit" className="main" disabled={acceptance.isPending}>
            {acceptance.isPending ? t.signIn.waiting : t.invitation.submit}
          </button>
        </form>
      ) : (
        <p role="alert">{t.passkeyFailures.unsupported}</p>
      )}
      {acceptance.error && <Problem error={acceptance.error} />}
    </main>
  )
}
