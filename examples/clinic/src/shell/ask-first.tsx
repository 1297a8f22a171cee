import { useMutation } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import type { ReactNode } from 'react'
import { queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { Problem } from './states'

interface AskFirstProps {
  /** What is done, on both buttons. */
  label: string
  /** The same with whom or what it is done to, for those who hear the buttons of a list. */
  name?: string
  question: string
  /** What follows from it, below the question. */
  children?: ReactNode
  act: (options: { signal: AbortSignal }) => Promise<unknown>
  onDone: () => unknown
}

/** A button that asks in a dialog before it does what nobody can take back. */
export function AskFirst({ label, name, question, children, act, onDone }: AskFirstProps) {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const cancellation = useRef<AbortController>(null)
  const title = useId()
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: () => {
      cancellation.current = new AbortController()
      return act({ signal: cancellation.current.signal })
    },
    onSuccess: () => {
      // Nothing behind an open dialog takes the focus.
      dialog.current?.close()
      return onDone()
    },
    onError: async () => {
      // What was cancelled may have happened already.
      if (cancellation.current?.signal.aborted) await queryClient.invalidateQueries()
    },
  })
  return (
    <>
      <button
        type="button"
        aria-label={name}
        onClick={() => {
          reset()
          dialog.current?.showModal()
        }}
      >
        {label}
      </button>
      {/* While the service is out of reach, the call is tried again: not after the user has changed their mind. */}
      <dialog ref={dialog} aria-labelledby={title} onClose={() => cancellation.current?.abort()}>
        <p id={title}>{question}</p>
        {children}
        {error && <Problem error={error} />}
        <div className="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {t.cancel}
          </button>
          <button type="button" className="danger" disabled={isPending} onClick={() => mutate()}>
            {label}
          </button>
        </div>
      </dialog>
    </>
  )
}
