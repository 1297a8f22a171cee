import { useSearch } from '@tanstack/react-router'
import { createContext, use, useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { ClinicChild, Flag, Sort } from './clinic-child'
import { useMarkSeen } from './use-mark-seen'
import type { Mark } from './use-mark-seen'

/** What the list shows. It is kept while a child is open; only filter and sort are in the address, where a reload finds them. */
export interface ListState {
  flag: Flag | undefined
  sort: Sort
  search: string
  /** Where each page after the first begins, up to the one that is shown. */
  cursors: readonly string[]
  /** The child that was opened last, to which the focus returns; or the first one, after a search or a turn of the page. */
  opened: number | 'first' | undefined
}

const first: ListState = { flag: undefined, sort: 'flags', search: '', cursors: [], opened: undefined }

interface Kept {
  state: ListState
  /** Changes a part; another filter, sort or search goes back to the first page. */
  change: (part: Partial<ListState>) => void
  /** Also those that fail while a child is open. */
  marks: readonly Mark[]
  markSeen: (clinicId: number, child: ClinicChild) => Promise<void>
}

const Context = createContext<Kept>({
  state: first,
  change: () => undefined,
  marks: [],
  markSeen: () => Promise.resolve(),
})

export function ListStateProvider({ children }: { children: ReactNode }) {
  const { flag, sort = first.sort } = useSearch({ strict: false })
  const [state, setState] = useState({ ...first, flag, sort })
  const change = useCallback(
    (part: Partial<ListState>) =>
      setState((before) => {
        const isOther = part.search !== undefined || 'flag' in part || part.sort !== undefined
        return { ...before, ...(isOther ? { cursors: [], opened: undefined } : {}), ...part }
      }),
    [],
  )
  const { marks, markSeen } = useMarkSeen()
  const kept = useMemo(() => ({ state, change, marks, markSeen }), [state, change, marks, markSeen])
  return <Context value={kept}>{children}</Context>
}

export const useListState = (): Kept => use(Context)
