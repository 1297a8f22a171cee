import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount, useConnectionsOf, useGrants, useSharesOf } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { LinkRow } from '../ui/link-row'
import { Loaded } from '../ui/loaded'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { PasswordField } from './password-field'
import { proveHolder } from './prove-holder'

interface DeletionProps {
  /** What is deleted, in a sentence or two. */
  says: string
  label: string
  /** The own children who are deleted. */
  family: readonly ListedChild[]
  onDelete: () => Promise<unknown>
}

/** The last page before children are deleted: who loses access, what can be done instead, and the password. */
export function ConfirmDeletion({ says, label, family, onDelete }: DeletionProps) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const account = useAccount()
  const grants = useGrants()
  const shares = useSharesOf(family.map(({ id }) => id))
  const connections = useConnectionsOf(family.map(({ id }) => id))
  const [password, setPassword] = useState('')
  const remove = useMutation({
    mutationFn: async (proof: { email: string; password: string }) => {
      await proveHolder(proof.email, proof.password)
      await onDelete()
    },
  })
  const people = family.flatMap((child, n) =>
    (shares[n]?.data?.members ?? []).map((member) => ({ child, member })),
  )
  const ids = new Set(family.map(({ id }) => id))
  const services = (grants.data ?? []).filter(({ real_user_ids }) => real_user_ids.some((id) => ids.has(id)))
  const clinics = connections.flatMap(({ data }) => data ?? [])
  const unknownShare = shares.find(({ data }) => data === undefined)
  const unknownConnection = connections.find(({ data }) => data === undefined)
  const isKnown = !unknownShare && !unknownConnection && grants.data !== undefined
  const email = account.data?.email
  const submit = () => {
    if (email && password && isKnown && !remove.isPending) remove.mutate({ email, password })
  }
  return (
    <>
      <Words>{says}</Words>
      <Card title={t.deletion.losing}>
        {unknownShare ? <Loaded query={unknownShare}>{() => null}</Loaded> : null}
        {unknownConnection ? <Loaded query={unknownConnection}>{() => null}</Loaded> : null}
        <Loaded query={grants}>
          {() => (
            <>
              {people.map(({ child, member }) => (
                <Words key={member.share_id}>
                  {t.deletion.person(member.first_name, t.sharing.roles[member.role], child.first_name)}
                </Words>
              ))}
              {services.map(({ grant_id, client }) => (
                <Words key={grant_id}>{t.deletion.service(client.name)}</Words>
              ))}
              {clinics.map(({ connection_id, clinic, real_user_id }) => (
                <Words key={connection_id}>
                  {t.deletion.clinic(
                    clinic.name,
                    family.find(({ id }) => id === real_user_id)?.first_name ?? '',
                  )}
                </Words>
              ))}
              {people.length + services.length > 0 ? (
                <Words kind="caption" tone="muted">
                  {t.deletion.told}
                </Words>
              ) : isKnown && clinics.length === 0 ? (
                <Words tone="muted">{t.deletion.nobody}</Words>
              ) : null}
            </>
          )}
        </Loaded>
      </Card>
      <Card title={t.deletion.instead}>
        {people
          .filter(({ member }) => member.role === 'guardian')
          .map(({ child, member: { share_id, first_name } }) => (
            <LinkRow
              key={share_id}
              label={t.transfer.to(first_name, child.first_name)}
              onPress={() => navigation.navigate('HandOver', { real_user_id: child.id, share_id })}
            />
          ))}
        <LinkRow label={t.exportData.title} onPress={() => navigation.navigate('ExportData')} />
      </Card>
      {account.data && !email ? (
        <>
          <Notice text={t.deletion.needsEmail} />
          <LinkRow label={t.email.title} onPress={() => navigation.navigate('Email')} />
        </>
      ) : (
        <>
          <Words tone="muted">{t.deletion.proof}</Words>
          <PasswordField
            label={t.settings.currentPassword}
            value={password}
            onChangeText={setPassword}
            onSubmitEditing={submit}
          />
        </>
      )}
      <Failure error={remove.error} />
      <Button
        kind="danger"
        label={label}
        isBusy={remove.isPending}
        isDisabled={!email || !password || !isKnown}
        onPress={submit}
      />
    </>
  )
}
