import { useMutation } from '@tanstack/react-query'
import { clinicCalls } from '../companion/clinic-calls'
import type { ClinicChild } from '../companion/clinic-calls'
import { childKey } from '../companion/queries'
import { queryClient } from '../companion/query-client'

/** Changes the place of a child in the clinic, and what is shown of it. */
export function useUpdateChild(clinic_id: number) {
  return useMutation({
    mutationFn: (input: { real_user_id: number; record_number?: string | null; is_seen?: boolean }) =>
      clinicCalls.updateChild({ clinic_id, ...input }),
    onSuccess: (item: ClinicChild) => {
      queryClient.setQueryData([...childKey(item.real_user_id), 'item', clinic_id], item)
      return queryClient.invalidateQueries({ queryKey: ['clinic', clinic_id, 'children'] })
    },
  })
}
