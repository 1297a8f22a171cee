import type { ListedChild } from '@companion/sdk'
import { createContext, use, useMemo, useState } from 'react'
import type { ReactNode } from 'react'

interface Choosing {
  id: number | undefined
  choose: (id: number) => void
}

const Chosen = createContext<Choosing | null>(null)

/** Which child the screens show. The signed-in part of the app keeps the choice, so it ends with the session. */
export function ChosenChildProvider({ children }: { children: ReactNode }) {
  const [id, choose] = useState<number>()
  const choosing = useMemo(() => ({ id, choose }), [id])
  return <Chosen value={choosing}>{children}</Chosen>
}

/** The chosen child, or the first until one is chosen. */
export function useChosenChild(all: readonly ListedChild[] | undefined) {
  const choosing = use(Chosen)
  if (!choosing) throw new Error('ChosenChildProvider is missing')
  return { child: all?.find(({ id }) => id === choosing.id) ?? all?.[0], choose: choosing.choose }
}
