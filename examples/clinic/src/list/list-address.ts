import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { allFlags, sorts } from './clinic-child'
import type { Flag, Sort } from './clinic-child'
import type { ListState } from './list-state'

/** What the address says of the list; a search is not part of it, as it may be a name. */
interface ListAddress {
  flag?: Flag | undefined
  /** Left out for the usual one. */
  sort?: Sort | undefined
}

const route = getRouteApi('/signed-in/$clinicId/')

/** Reads what somebody may have typed. */
export const readListAddress = ({ flag, sort }: Record<string, unknown>): ListAddress => ({
  flag: allFlags.find((each) => each === flag),
  sort: sorts.find((each) => each === sort),
})

/** Keeps the address in step with what the list shows. */
export function useListAddress({ flag, sort }: ListState): void {
  const navigate = route.useNavigate()
  const address = route.useSearch()
  const sortInAddress = sort === 'flags' ? undefined : sort
  const isInStep = address.flag === flag && address.sort === sortInAddress
  useEffect(() => {
    if (isInStep) return
    void navigate({ search: { flag, sort: sortInAddress }, replace: true, resetScroll: false })
  }, [isInStep, flag, sortInAddress, navigate])
}
