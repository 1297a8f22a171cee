import { useMutation } from '@tanstack/react-query'
import { companion } from '../companion/client'
import type { ClinicChild } from './clinic-child'
import { childKey } from '../companion/queries'
import { queryClient } from '../companion/query-client'

interface Change {
  clinic_id: number
  real_user_id: number
  record_number?: string | null
  is_seen?: boolean
}

/** Changes the place of a child in a clinic, and what is shown of it. */
export function useUpdateChild() {
  return useMutation({
    mutationFn: (change: Change) => companion.clinics.updatePlace(change),
    onSuccess: (item: ClinicChild, { clinic_id, real_user_id }) => {
      const place = [...childKey(real_user_id), 'item', clinic_id]
      queryClient.setQueryData(place, (before?: ClinicChild | null) => before && item)
      // A read that began before the change would show what was.
      void queryClient.invalidateQueries({ queryKey: place })
      return queryClient.invalidateQueries({ queryKey: ['clinic', clinic_id, 'children'] })
    },
  })
}
