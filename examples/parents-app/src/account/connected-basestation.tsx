import type { Basestation } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'

export function ConnectedBasestation({ basestation }: { basestation: Basestation }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const disconnect = useMutation({
    mutationFn: () => companion.basestations.disconnect({ basestation_id: basestation.basestation_id }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: cacheKeys.basestations }),
        queries.invalidateQueries({ queryKey: cacheKeys.charts }),
      ]),
  })
  const since = format.date(today(new Date(basestation.connected_at)))
  return (
    <Card title={basestation.serial_code} aside={t.settings.since(since)}>
      <Failure error={disconnect.error} />
      <AskFirst
        label={t.basestation.disconnect}
        question={t.basestation.question}
        isBusy={disconnect.isPending}
        onConfirm={() => disconnect.mutate()}
      />
    </Card>
  )
}
