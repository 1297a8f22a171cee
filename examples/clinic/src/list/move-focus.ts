/** The link of a child in the list, or all of them. */
const links = () => [...document.querySelectorAll<HTMLAnchorElement>('a[data-child]')]

/** The child whose row has the focus. */
export function focusedChild(): number | undefined {
  const link = document.activeElement?.closest('tr')?.querySelector<HTMLElement>('a[data-child]')
  return link ? Number(link.dataset['child']) : undefined
}

/** Moves the focus to the next child, or the one before; to the first one if none has it. False if there is none. */
export function moveFocus(step: 1 | -1): boolean {
  const found = links()
  const index = found.findIndex((link) => Number(link.dataset['child']) === focusedChild())
  const link = index === -1 ? found[0] : found[index + step]
  link?.focus()
  return link !== undefined
}

/** Moves the focus to this child, if it is there, and the window to its row; for the first one, to the top as far as its row allows. */
export function focusChild(child: number | 'first'): void {
  const link =
    child === 'first' ? links()[0] : links().find((each) => Number(each.dataset['child']) === child)
  link?.focus({ preventScroll: true })
  if (child === 'first') scrollTo(0, 0)
  link?.scrollIntoView({ block: child === 'first' ? 'nearest' : 'center' })
}
