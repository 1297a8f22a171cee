export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const KEY = 'clinic.theme'

export const keptTheme = (): Theme => themes.find((each) => each === localStorage.getItem(KEY)) ?? 'system'

/** Shows the page in the theme that was chosen here; `system` follows the browser. */
export function applyTheme(theme: Theme = keptTheme()): void {
  localStorage.setItem(KEY, theme)
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
