import type { FileProgress, ReportInput } from '@companion/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { companion } from '../companion/client'

/** Creates a report, with its progress and a way to cancel. Leaving the screen cancels too. */
export function useReport() {
  const [progress, setProgress] = useState<FileProgress>()
  const stop = useRef<AbortController>(undefined)
  const report = useMutation({
    mutationFn: async (input: ReportInput) => {
      setProgress(undefined)
      stop.current = new AbortController()
      return companion.reports.pdf(input, {
        onProgress: setProgress,
        signal: stop.current.signal,
        timeout: 120_000,
      })
    },
  })
  useEffect(() => () => stop.current?.abort(), [])
  const cancel = () => {
    stop.current?.abort()
    report.reset()
  }
  return { report, progress, cancel }
}
