import { safe } from '@companion/sdk'
import type { FileProgress, ReportInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { today } from '../time/dates'
import { reports } from './reports'

export type ReportOrder = Omit<ReportInput, 'basestation_id'> & {
  /** Candidates; one of them belongs to the child's owner. */
  basestationIds: readonly number[]
}

/** Creates a report, with its progress and a way to cancel. Leaving the screen cancels too. */
export function useReport() {
  const [progress, setProgress] = useState<FileProgress>()
  const queries = useQueryClient()
  const stop = useRef<AbortController>(undefined)
  const report = useMutation({
    mutationFn: async ({ basestationIds, ...order }: ReportOrder) => {
      setProgress(undefined)
      const { signal } = (stop.current = new AbortController())
      const options = { onProgress: setProgress, signal, timeout: 120_000 }
      for (const basestation_id of basestationIds) {
        const [report, error] = await safe(companion.reports.pdf({ ...order, basestation_id }, options))
        if (report) {
          await reports.keep(order.real_user_id, report, { ...order, made_on: today() })
          await queries.invalidateQueries({ queryKey: cacheKeys.reports })
          return report
        }
        if (error?.data?.detail !== 'This device does not belong to the user') throw error
      }
      throw new Error('No base station belongs to the owner of the child')
    },
  })
  useEffect(() => () => stop.current?.abort(), [])
  const cancel = () => {
    stop.current?.abort()
    report.reset()
  }
  return { report, progress, cancel }
}
