import type { Grant } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'

/** An app of somebody else: what it may see of whom, since when and until when, when it last has, and how to disconnect it. */
export function ConnectedApp({ grant }: { grant: Grant }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const children = useChildren()
  const disconnect = useMutation({
    mutationFn: () => companion.grants.end({ grant_id: grant.grant_id }),
    // Also after an error: it may have been disconnected on another phone.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.grants }),
  })
  const { client, scopes, real_user_ids, granted_at, expires_at, last_used_at } = grant
  const day = (moment: string) => format.date(today(new Date(moment)))
  const names = children.data?.filter(({ id }) => real_user_ids.includes(id)).map((child) => child.first_name)
  const facts = [
    t.settings.since(day(granted_at)),
    expires_at ? t.sharing.until(day(expires_at)) : t.sharing.noEnd,
    last_used_at ? t.connections.lastUsed(day(last_used_at)) : t.connections.neverUsed,
  ]
  return (
    <Card title={client.name}>
      <Words kind="label" tone="muted">
        {t.connections.by(client.publisher, client.url)}
      </Words>
      {names && names.length > 0 ? <Words>{names.join(', ')}</Words> : null}
      {scopes.map((scope) => (
        <Words key={scope} kind="label">
          {`• ${t.connections.scopes[scope]}`}
        </Words>
      ))}
      <Words kind="caption" tone="muted">
        {facts.join(' · ')}
      </Words>
      <Failure error={disconnect.error} />
      <AskFirst
        label={t.connections.end}
        question={t.connections.endQuestion(client.name)}
        isBusy={disconnect.isPending}
        onConfirm={() => disconnect.mutate()}
      />
    </Card>
  )
}
