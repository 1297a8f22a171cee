/**
 * The texts that stick out of the window or of what hides everything outside itself, and words that are torn apart, as
 * iPhones tear what Chromium on Linux has no rules to hyphenate either. Runs in the page.
 */
export function cutTexts(): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement, textContent } = node
    const isShown = parentElement?.checkVisibility({ visibilityProperty: true })
    if (!isShown || parentElement?.closest('[inert]') || !textContent?.trim()) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const { left, right, top, bottom } = range.getBoundingClientRect()
    let isCut = false
    let scrolls = false
    let scrollsAcross = false
    for (let box = parentElement; box; box = box.parentElement) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(box)
      scrollsAcross ||= overflowX === 'auto' || overflowX === 'scroll'
      const around = box.getBoundingClientRect()
      scrolls ||= overflowY === 'auto' || overflowY === 'scroll'
      isCut ||=
        !scrollsAcross && overflowX === 'hidden' && (left < around.left - 1 || right > around.right + 1)
      isCut ||= textOverflow === 'ellipsis' && box.scrollWidth > box.clientWidth + 1
      // A line is higher than its letters.
      isCut ||= !scrolls && overflowY === 'hidden' && (top < around.top - 6 || bottom > around.bottom + 6)
    }
    isCut ||= !scrollsAcross && (left < -1 || right > innerWidth + 1)
    // Addresses and codes may be torn.
    for (const { index, 0: word } of textContent.matchAll(/(?<![^\s(])\p{L}+(?=[\s.,:?!)]*(?:\s|$))/gu)) {
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      isCut ||= new Set([...range.getClientRects()].map((rect) => rect.top)).size > 1
    }
    if (isCut) texts.push(textContent)
  }
  for (const field of document.querySelectorAll('textarea'))
    if (field.checkVisibility() && field.scrollHeight > field.clientHeight + 1) texts.push(field.value)
  return texts
}
