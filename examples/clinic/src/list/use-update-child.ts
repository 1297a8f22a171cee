import { useMutation } from '@tanstack/react-query'
import { companion } from '../companion/client'
import type { ClinicChild } from './clinic-child'
import { childKey } from '../companion/queries'
import { queryClient } from '../companion/query-client'

/** Changes the place of a child in the clinic, and what is shown of it. */
export function useUpdateChild(clinic_id: number) {
  return useMutation({
    mutationFn: (input: { real_user_id: number; record_number?: string | null; is_seen?: boolean }) =>
      companion.clinics.updatePlace({ clinic_id, ...input }),
    onSuccess: (item: ClinicChild) => {
      queryClient.setQueryData([...childKey(item.real_user_id), 'item', clinic_id], item)
      return queryClient.invalidateQueries({ queryKey: ['clinic', clinic_id, 'children'] })
    },
  })
}
