import { safe } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import type { PlanChanges } from './plan'

/** Sets and removes plans of a child, one after the other. Repeating the steps after an error does no harm. */
export function useChangePlans(real_user_id: number) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ set, remove }: PlanChanges) => {
      for (const plan of set) await companion.plans.set({ real_user_id, ...plan })
      for (const plan_id of remove) {
        const [, error] = await safe(companion.plans.remove({ plan_id }))
        // Another parent may have removed it.
        if (error && error.data?.detail !== 'Plan not found') throw error
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.nights }),
  })
}
