import type { ListedChild, Shares } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StyleSheet, View } from 'react-native'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useConnections } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { LinkRow } from '../ui/link-row'
import { Words } from '../ui/words'

/** The people with access to a child, to whom it may be handed over, and those who are invited. */
export function Members({ child, members, invitations, transfer }: Shares & { child: ListedChild }) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  const hasClinics = (useConnections(child.id).data ?? []).length > 0
  const until = (date: string | null) => (date ? t.sharing.until(format.date(date)) : t.sharing.noEnd)
  return (
    <Card title={t.sharing.people}>
      {members.length === 0 && invitations.length === 0 ? (
        <Words tone="muted">{hasClinics ? t.sharing.nobodyButClinics : t.sharing.nobody}</Words>
      ) : null}
      {members.map((member) => (
        <Entry
          key={member.share_id}
          name={member.first_name}
          email={member.email}
          says={`${t.sharing.roles[member.role]} · ${t.settings.since(format.date(today(new Date(member.since))))} · ${until(member.until)}`}
          end={t.sharing.end}
          question={t.sharing.endQuestion(member.first_name)}
          onEnd={() => companion.shares.end({ share_id: member.share_id })}
        >
          {transfer?.share_id === member.share_id ? (
            <Words kind="caption">
              {t.transfer.openFor(format.date(today(new Date(transfer.expires_at))))}
            </Words>
          ) : null}
          {!transfer && member.role === 'guardian' ? (
            <LinkRow
              label={t.transfer.to(member.first_name, child.first_name)}
              onPress={() =>
                navigation.navigate('HandOver', { real_user_id: child.id, share_id: member.share_id })
              }
            />
          ) : null}
        </Entry>
      ))}
      {transfer ? <WithdrawTransfer childId={child.id} /> : null}
      {invitations.map((invitation) => (
        <Entry
          key={invitation.invitation_id}
          name={t.sharing.invited}
          email={invitation.email}
          says={`${t.sharing.roles[invitation.role]} · ${until(invitation.until)} · ${t.sharing.openUntil(format.date(today(new Date(invitation.expires_at))))}`}
          end={t.sharing.withdraw}
          question={t.sharing.withdrawQuestion(invitation.email)}
          onEnd={() => companion.shares.withdraw({ invitation_id: invitation.invitation_id })}
        />
      ))}
    </Card>
  )
}

/** Takes back the offer of a child. */
function WithdrawTransfer({ childId }: { childId: number }) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const withdraw = useMutation({
    mutationFn: () => companion.shares.withdrawTransfer({ real_user_id: childId }),
    onSettled: () =>
      Promise.all(
        [cacheKeys.shares, cacheKeys.children].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  })
  return (
    <>
      <Failure error={withdraw.error} />
      <AskFirst
        label={t.transfer.withdraw}
        question={t.transfer.withdrawQuestion}
        isBusy={withdraw.isPending}
        onConfirm={() => withdraw.mutate()}
      />
    </>
  )
}

interface EntryProps {
  name: string
  email: string
  says: string
  end: string
  question: string
  onEnd: () => Promise<unknown>
  children?: ReactNode
}

function Entry({ name, email, says, end, question, onEnd, children }: EntryProps) {
  const queries = useQueryClient()
  const ending = useMutation({
    mutationFn: onEnd,
    // Also after an error: the entry may have changed on another phone.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.shares }),
  })
  return (
    <View style={styles.entry}>
      <View accessible>
        <Words>{name}</Words>
        <Words kind="label" tone="muted">
          {email}
        </Words>
        <Words kind="caption" tone="muted">
          {says}
        </Words>
      </View>
      {children}
      <Failure error={ending.error} />
      <AskFirst label={end} question={question} isBusy={ending.isPending} onConfirm={() => ending.mutate()} />
    </View>
  )
}

const styles = StyleSheet.create({ entry: { gap: 10 } })
