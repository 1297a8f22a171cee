import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { InviteMemberInput } from '@companion/sdk'
import { companion } from '../companion/client'
import { members, memberships } from '../companion/queries'
import { queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { AskFirst } from '../shell/ask-first'
import { Part, Problem } from '../shell/states'
import { useTitle } from '../shell/use-title'

const route = getRouteApi('/signed-in/$clinicId/members')

type Role = InviteMemberInput['role']

/** Who works in the clinic, for its admins. */
export function MembersPage() {
  const { clinicId } = route.useParams()
  const { t, format } = useWords()
  const { data: own = [] } = useQuery(memberships)
  const isAdmin = own.some(({ clinic_id, role }) => clinic_id === clinicId && role === 'admin')
  const query = useQuery({ ...members(clinicId), enabled: isAdmin })
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(t.members.title)
  const onGone = async () => {
    await readAgain(clinicId)
    // The button that had the focus is gone.
    heading.current?.focus()
  }
  if (!isAdmin)
    return (
      <main id="content" className="narrow">
        <h1>{t.members.title}</h1>
        <p>{t.members.onlyAdmins}</p>
      </main>
    )
  return (
    <main id="content">
      <h1 ref={heading} tabIndex={-1}>
        {t.members.title}
      </h1>
      <Part query={query}>
        {({ members: all, invitations }) => (
          <>
            <table className="cards" aria-label={t.members.title}>
              <thead>
                <tr>
                  <th scope="col">{t.members.name}</th>
                  <th scope="col">{t.members.email}</th>
                  <th scope="col">{t.members.role}</th>
                  <th scope="col">{t.members.since}</th>
                  <th scope="col">{t.members.remove}</th>
                </tr>
              </thead>
              <tbody>
                {all.map((member) => (
                  <tr key={member.member_id}>
                    <th scope="row" data-title="">
                      {member.first_name}
                    </th>
                    <td className="email" data-label={t.members.email}>
                      {member.email}
                    </td>
                    <td data-label={t.members.role}>{t.members.roles[member.role]}</td>
                    <td data-label={t.members.since}>{format.dateOf(member.since)}</td>
                    <td>
                      <AskFirst
                        label={t.members.remove}
                        name={t.members.removeOf(member.first_name)}
                        question={t.members.removeQuestion(member.first_name)}
                        act={(options) =>
                          companion.clinics.removeMember(
                            { clinic_id: clinicId, member_id: member.member_id },
                            options,
                          )
                        }
                        onDone={onGone}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {invitations.length > 0 && (
              <section aria-labelledby="invitations-title">
                <h2 id="invitations-title">{t.members.invitations}</h2>
                <ul>
                  {invitations.map(({ invitation_id, email, role, expires_at }) => (
                    <li key={invitation_id}>
                      {email}, {t.members.roles[role]}, {t.members.expires(format.dateOf(expires_at))}{' '}
                      <AskFirst
                        label={t.members.withdraw}
                        name={t.members.withdrawOf(email)}
                        question={t.members.withdrawQuestion(email)}
                        act={(options) =>
                          companion.clinics.withdrawInvitation(
                            { clinic_id: clinicId, invitation_id },
                            options,
                          )
                        }
                        onDone={onGone}
                      />
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Part>
      <InviteForm clinicId={clinicId} />
    </main>
  )
}

const readAgain = (clinicId: number) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['clinic', clinicId, 'members'] }),
    queryClient.invalidateQueries({ queryKey: memberships.queryKey }),
  ])

function InviteForm({ clinicId }: { clinicId: number }) {
  const { t } = useWords()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('clinician')
  const {
    mutate,
    isPending,
    data: sentTo,
    error,
  } = useMutation({
    mutationFn: async (to: string) => {
      await companion.clinics.inviteMember({ clinic_id: clinicId, email: to, role })
      return to
    },
    onSuccess: () => {
      setEmail('')
      return readAgain(clinicId)
    },
  })
  return (
    <section aria-labelledby="invite-title">
      <h2 id="invite-title">{t.members.invite}</h2>
      <form
        className="line"
        onSubmit={(event) => {
          event.preventDefault()
          mutate(email.trim())
        }}
      >
        <label>
          {t.members.email}
          <input
            type="email"
            required
            maxLength={320}
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </label>
        <label>
          {t.members.role}
          <select
            value={role}
            onChange={({ target }) => setRole(target.value === 'admin' ? 'admin' : 'clinician')}
          >
            <option value="clinician">{t.members.roles.clinician}</option>
            <option value="admin">{t.members.roles.admin}</option>
          </select>
        </label>
        <button type="submit" disabled={isPending}>
          {t.members.send}
        </button>
      </form>
      <p className="hint">{t.members.inviteHint}</p>
      <p role="status">{sentTo !== undefined && t.members.sent(sentTo)}</p>
      {error && <Problem error={error} />}
    </section>
  )
}
