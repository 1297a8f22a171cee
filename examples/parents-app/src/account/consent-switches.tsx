import { safe } from '@companion/sdk'
import type { Policy, UpdatePolicyInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { push } from '../push/push'
import { usePushAllowed } from '../push/use-push-allowed'
import { today } from '../time/dates'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { SwitchRow } from '../ui/switch-row'

/** What the account has agreed to, and since when. A switch moves only after the service has stored the change. */
export function ConsentSwitches({ policy }: { policy: Policy }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const isAllowed = usePushAllowed(policy.is_push_agree)
  const update = useMutation({
    mutationFn: async (input: UpdatePolicyInput) => {
      const push_token = input.is_push_agree === true ? await push.ask() : undefined
      // Without a token of its own this phone would get nothing: the one that the service has may belong to another phone.
      if (input.is_push_agree === true && !push_token) return 'no push token'
      const [answer, error] = await safe(
        companion.account.updatePolicy({ ...input, ...(push_token ? { push_token } : {}) }),
      )
      if (error?.data?.detail === 'User policy update failed') return 'no push token'
      if (error) throw error
      queries.setQueryData(cacheKeys.policy, answer)
      return 'stored'
    },
  })
  const since = (isAgreed: boolean, date: string | null) =>
    isAgreed && date ? t.settings.since(format.date(today(new Date(date)))) : undefined
  const pushHint = isAllowed
    ? (since(policy.is_push_agree, policy.push_agree_date) ?? t.settings.pushHint)
    : t.settings.pushUnavailable
  return (
    <>
      {
        // Consent can be withdrawn even where push messages are not available.
        push.isAvailable || policy.is_push_agree ? (
          <SwitchRow
            label={t.settings.push}
            hint={pushHint}
            value={policy.is_push_agree}
            isDisabled={update.isPending}
            onChange={(is_push_agree) => update.mutate({ is_push_agree })}
          />
        ) : null
      }
      <SwitchRow
        label={t.settings.marketing}
        hint={since(policy.is_marketing_agree, policy.marketing_agree_date)}
        value={policy.is_marketing_agree}
        isDisabled={update.isPending}
        onChange={(is_marketing_agree) => update.mutate({ is_marketing_agree })}
      />
      {update.data === 'no push token' ? <Notice kind="danger" text={t.settings.pushUnavailable} /> : null}
      <Failure error={update.error} />
    </>
  )
}
