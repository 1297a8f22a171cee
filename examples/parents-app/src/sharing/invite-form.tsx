import type { InviteShareInput, Shares } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EmailField } from '../account/email-field'
import { isEmail } from '../account/email'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { DateField } from '../ui/date-field'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import type { MemberRole } from './rights'
import { RoleWords } from './role-words'

interface InviteFormProps {
  childId: number
  /** Those that are open. */
  invitations: Shares['invitations']
}

/** Invites somebody to a child, with a role and perhaps a last day. */
export function InviteForm({ childId, invitations }: InviteFormProps) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('guardian')
  const [ends, setEnds] = useState<'never' | 'on'>('never')
  const [until, setUntil] = useState<CalendarDate>()
  const [isChecked, setChecked] = useState(false)
  const invite = useMutation({
    mutationFn: (input: InviteShareInput) => companion.shares.invite(input),
    onSuccess: () => {
      setEmail('')
      setChecked(false)
      return queries.invalidateQueries({ queryKey: keys.shares })
    },
  })
  const isOpen = invitations.some(({ invitation_id }) => invitation_id === invite.data?.invitation_id)
  const isUntilMissing = ends === 'on' && (until === undefined || until < today())
  const submit = () => {
    setChecked(true)
    if (!isEmail(email) || isUntilMissing) return
    invite.mutate({
      real_user_id: childId,
      role,
      email: email.trim(),
      ...(ends === 'on' && until ? { until } : {}),
    })
  }
  return (
    <Card title={t.sharing.invite}>
      <EmailField
        value={email}
        onChangeText={(text) => {
          invite.reset()
          setEmail(text)
        }}
        issue={isChecked && !isEmail(email) ? t.issues.email : undefined}
      />
      <Choice
        label={t.sharing.role}
        value={role}
        onChange={setRole}
        options={[
          ['guardian', t.sharing.roles.guardian],
          ['viewer', t.sharing.roles.viewer],
        ]}
      />
      <RoleWords role={role} />
      <Choice
        label={t.sharing.howLong}
        value={ends}
        onChange={setEnds}
        options={[
          ['never', t.sharing.noEnd],
          ['on', t.sharing.lastDay],
        ]}
      />
      {ends === 'on' ? (
        <DateField
          label={t.sharing.lastDay}
          value={until}
          onChange={setUntil}
          earliest={today()}
          issue={isChecked && isUntilMissing ? t.sharing.lastDayIssue : undefined}
        />
      ) : null}
      <Failure error={invite.error} />
      {invite.data && isOpen ? <Notice text={t.sharing.sent(invite.data.email)} /> : null}
      <Button label={t.sharing.send} onPress={submit} isBusy={invite.isPending} />
    </Card>
  )
}
