import type { Account, UpdateNotificationsInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'

/** Changes the settings of alerts and mails, and shows in the app what the service has stored. */
export function useNotifications(account: Account | undefined) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: UpdateNotificationsInput) => companion.account.updateNotifications(input),
    onSuccess: (saved) => queries.setQueryData(cacheKeys.account, { ...account, ...saved }),
  })
}
