import { day, night } from './palette'

/** Shows keyboard users which control has the focus. */
export function drawFocusRing(): void {
  const style = document.createElement('style')
  style.textContent = `
:root { --ring: ${day.accent} }
@media (prefers-color-scheme: dark) { :root { --ring: ${night.accent} } }
:focus-visible { outline: 2px solid var(--ring) !important; outline-offset: 2px }
input:focus-visible, textarea:focus-visible { outline-offset: -1.5px }
`
  document.head.append(style)
}
