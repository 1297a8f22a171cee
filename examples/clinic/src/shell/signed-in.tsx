import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { companion } from '../companion/client'
import { memberships } from '../companion/queries'
import { announceSessionEnd } from '../companion/session-end'
import { useSession } from '../companion/use-session'
import { useWords } from '../i18n/language'
import { ListStateProvider } from '../list/list-state'
import { AccessEnded } from './access-ended'
import { Failure, Loading } from './states'
import { SignInPage } from './sign-in-page'
import { noteSignOut, useEndOfUse, useIsSigningOut } from './end-of-use'
import type { EndOfUse } from './end-of-use'

/** Asks for the passkey first; then shows the page with the navigation of the clinic. */
export function SignedIn() {
  const { isSignedIn, rootUserId } = useSession()
  const [wasSignedIn, setWasSignedIn] = useState(isSignedIn)
  const [end, setEnd] = useState<EndOfUse>()
  // Also in another tab.
  if (wasSignedIn !== isSignedIn) {
    setWasSignedIn(isSignedIn)
    if (isSignedIn) setEnd(undefined)
  }
  if (isSignedIn === undefined) return <Loading />
  if (!isSignedIn) return <SignInPage end={end} />
  return <Clinic key={rootUserId} onEnd={setEnd} />
}

function Clinic({ onEnd }: { onEnd: (why: EndOfUse) => void }) {
  const { t } = useWords()
  const { clinicId } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(memberships)
  const [isLeaving, setIsLeaving] = useState(false)
  const leave = (why: EndOfUse) => {
    if (isLeaving) return
    onEnd(why)
    setIsLeaving(true)
    void endSession()
  }
  useEndOfUse(leave)
  const isSigningOut = useIsSigningOut()
  useEffect(() => {
    if (isSigningOut) announceSessionEnd()
  }, [isSigningOut])
  // Somebody else may look at the screen by now, and the service may be slow or out of reach.
  if (isLeaving || isSigningOut) return <Loading />
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const membership = data.find((each) => each.clinic_id === clinicId)
  return (
    <>
      <header className="no-print">
        <ClinicChoice />
        {membership && (
          <nav aria-label={t.nav.label}>
            <Link
              to="/$clinicId"
              params={{ clinicId: membership.clinic_id }}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {t.nav.children}
            </Link>
            {membership.role === 'admin' && (
              <Link to="/$clinicId/members" params={{ clinicId: membership.clinic_id }}>
                {t.nav.members}
              </Link>
            )}
            <Link to="/$clinicId/code" params={{ clinicId: membership.clinic_id }}>
              {t.nav.code}
            </Link>
          </nav>
        )}
        <nav aria-label={t.nav.account}>
          {membership && (
            <Link to="/$clinicId/passkeys" params={{ clinicId: membership.clinic_id }}>
              {t.nav.passkeys}
            </Link>
          )}
          <button
            type="button"
            className="quiet"
            onClick={() => {
              noteSignOut()
              leave('signing out')
            }}
          >
            {t.signIn.out}
          </button>
        </nav>
      </header>
      {clinicId !== undefined && !membership ? (
        <AccessEnded of="clinic" />
      ) : (
        <ListStateProvider key={clinicId}>
          <Outlet />
        </ListStateProvider>
      )}
    </>
  )
}

/** Ends the session, here even if the service cannot be told. */
function endSession(): Promise<unknown> {
  announceSessionEnd()
  return companion.auth.signOut().catch(() => companion.session.signOut())
}

function ClinicChoice() {
  const { t } = useWords()
  const { clinicId } = useParams({ strict: false })
  const navigate = useNavigate()
  const { data = [] } = useQuery(memberships)
  const [only] = data
  if (!only) return null
  if (data.length === 1) return <strong className="clinic">{only.name}</strong>
  return (
    <label className="choice clinic">
      <span>{t.nav.clinic}</span>
      <select
        value={clinicId ?? ''}
        onChange={({ target }) =>
          void navigate({ to: '/$clinicId', params: { clinicId: Number(target.value) } })
        }
      >
        {data.map(({ clinic_id, name }) => (
          <option key={clinic_id} value={clinic_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
