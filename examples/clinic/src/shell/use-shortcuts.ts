import { useEffect, useEffectEvent } from 'react'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/**
 * The key by which a shortcut is known: a letter is small under caps lock too, and where the layout writes none, as a Korean one
 * does, it is that on the cap.
 */
export function shortcutOf({
  key,
  code,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  if (shiftKey) return key
  if (/^[a-z]$/i.test(key)) return key.toLowerCase()
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? []
  return letter?.toLowerCase() ?? key
}

/**
 * The keys that move on. Any other one has done at once what it does: "seen" would be taken back, and Escape, which has closed a dialog, would
 * leave the page behind it too.
 */
const MAY_BE_HELD = new Set(['j', 'k', 'ArrowDown', 'ArrowUp'])

/**
 * Calls the handler of a key that is pressed alone, unless somebody types or a dialog is open. A handler that answers false has
 * done nothing, and leaves the key to the browser.
 */
export function useShortcuts(handlers: Readonly<Record<string, () => boolean | void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    const key = shortcutOf(event)
    if (event.repeat && !MAY_BE_HELD.has(key)) return
    const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined
    if (handler && handler() !== false) event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
