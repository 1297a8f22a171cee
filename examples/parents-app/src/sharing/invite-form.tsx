import type { InviteShareInput, Shares } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EmailField } from '../account/email-field'
import { isEmail } from '../account/email'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { LastDayFields, useLastDay } from './last-day-fields'
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
  const lastDay = useLastDay()
  const [isChecked, setChecked] = useState(false)
  const invite = useMutation({
    mutationFn: (input: InviteShareInput) => companion.shares.invite(input),
    onSuccess: () => {
      setEmail('')
      setChecked(false)
      return queries.invalidateQueries({ queryKey: cacheKeys.shares })
    },
  })
  const isOpen = invitations.some(({ invitation_id }) => invitation_id === invite.data?.invitation_id)
  const submit = () => {
    setChecked(true)
    if (!isEmail(email) || lastDay.isMissing) return
    const { until } = lastDay
    invite.mutate({
      real_user_id: childId,
      role,
      email: email.trim(),
      ...(until === undefined ? {} : { until }),
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
      <LastDayFields fields={lastDay.fields} isChecked={isChecked} />
      <Failure error={invite.error} />
      {invite.data && isOpen ? <Notice text={t.sharing.sent(invite.data.email)} /> : null}
      <Button label={t.sharing.send} onPress={submit} isBusy={invite.isPending} />
    </Card>
  )
}
