import type { ListedChild } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useShares } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'

/** The offer to become the owner of a child, if there is one. */
export function OfferedChild({ child: { id: real_user_id, first_name } }: { child: ListedChild }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const { data } = useShares(real_user_id)
  const reload = () =>
    Promise.all(
      [cacheKeys.children, cacheKeys.devices, cacheKeys.basestations, cacheKeys.shares].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  const accept = useMutation({
    mutationFn: () => companion.shares.acceptTransfer({ real_user_id }),
    onSettled: reload,
  })
  const decline = useMutation({
    mutationFn: () => companion.shares.withdrawTransfer({ real_user_id }),
    onSettled: reload,
  })
  if (!data?.transfer) return <Failure error={accept.error ?? decline.error} />
  const { owner, expires_at } = data.transfer
  return (
    <Card title={t.transfer.offered(owner, first_name)}>
      <Words>{t.transfer.means(owner, first_name)}</Words>
      <Words kind="caption" tone="muted">
        {t.transfer.openUntil(format.date(today(new Date(expires_at))))}
      </Words>
      <Failure error={accept.error ?? decline.error} />
      <Button label={t.transfer.accept} isBusy={accept.isPending} onPress={() => accept.mutate()} />
      <AskFirst
        label={t.transfer.decline}
        question={t.transfer.declineQuestion(owner)}
        isBusy={decline.isPending}
        onConfirm={() => decline.mutate()}
      />
    </Card>
  )
}
