import { useEffect, useEffectEvent } from 'react'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/**
 * Calls the handler of a key that is pressed alone, unless somebody types or a dialog is open. A handler that answers false has
 * done nothing, and leaves the key to the browser.
 */
export function useShortcuts(handlers: Readonly<Record<string, () => boolean | void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined
    if (handler && handler() !== false) event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
