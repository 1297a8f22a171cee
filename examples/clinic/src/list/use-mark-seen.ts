import { useCallback, useState } from 'react'
import type { ClinicChild } from './clinic-child'
import { forgetInLists } from '../companion/queries'
import { isAccessEnded } from '../companion/query-client'
import { useUpdateChild } from './use-update-child'

/** The mark of a child that is on its way, or why it has failed. */
export interface Mark {
  child: ClinicChild
  error?: unknown
}

/** Marks children as seen or not, several of them at once. */
export function useMarkSeen() {
  const { mutateAsync } = useUpdateChild()
  const [marks, setMarks] = useState<readonly Mark[]>([])
  const markSeen = useCallback(
    async (clinic_id: number, child: ClinicChild) => {
      const { real_user_id, seen_at } = child
      const note = (...mark: Mark[]) =>
        setMarks((before) => [...before.filter((each) => each.child.real_user_id !== real_user_id), ...mark])
      note({ child })
      try {
        await mutateAsync({ clinic_id, real_user_id, is_seen: seen_at === null })
        note()
      } catch (error) {
        const isGone = isAccessEnded(error)
        if (isGone) forgetInLists(clinic_id, real_user_id)
        note(...(isGone ? [] : [{ child, error }]))
      }
    },
    [mutateAsync],
  )
  return { marks, markSeen }
}
