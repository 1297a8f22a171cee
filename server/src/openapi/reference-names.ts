/**
 * The script that gives Scalar's controls the names and roles which screen readers need and which Scalar leaves out. Scalar
 * draws itself again at any time, so the script looks again after every change of the page. The browser test tells when it no longer fits.
 */
export const referenceNames = `const within = (selector) => document.querySelectorAll('#reference ' + selector)
const named = (control, name) => name && control.setAttribute('aria-label', name)

function name() {
  // Its words count for a button only.
  for (const button of within('button[role=search]')) button.removeAttribute('role')
  for (const button of within(':is(.code-copy, .scalar-code-copy, [class*="/copy-button"]):not([aria-label])'))
    named(button, 'Copy')
  for (const button of within('.client-libraries__select:not([aria-label])')) named(button, 'More clients')
  // The visible words have to be in the name, for those who speak to their computer.
  for (const button of within('.show-more[aria-label]')) {
    const words = button.textContent.trim()
    if (!button.ariaLabel.startsWith(words)) named(button, words + ': ' + button.ariaLabel)
  }
  for (const editor of within('.cm-content:not([aria-label])')) {
    const row = editor.closest('tr')
    named(editor, editor.closest('td [aria-label]')?.ariaLabel ?? (row?.querySelector('label') ?? row?.querySelector('td'))?.textContent.replace(':', '').trim())
  }
  // A sign-in by password has no client and no scopes, and what Scalar shows in their fields looks like values.
  for (const table of within('table[role=presentation]')) {
    const labelled = [...table.rows].map((row) => [row, row.querySelector('label')?.textContent.trim() ?? ''])
    const isByPassword = labelled.some(([, label]) => label === 'Username')
    for (const [row, label] of labelled) {
      const isOfClient = ['Client ID', 'Client Secret', 'Credentials Location'].includes(label)
      const display = isByPassword && (isOfClient || row.textContent.includes('Scopes Selected')) ? 'none' : ''
      if (row.style.display !== display) row.style.display = display
    }
  }
  // Its title is a row of statuses, which are the same for many operations.
  for (const card of within('.response-card[aria-labelledby]')) {
    card.removeAttribute('aria-labelledby')
    named(card, 'Example responses: ' + (card.closest('section[id]')?.querySelector('h3')?.textContent.trim() ?? ''))
  }
  // Only an option or a tab can be selected; a link of the side bar is the current one.
  for (const button of within('li button[aria-selected]:not([role])')) {
    if (button.ariaSelected === 'true') button.ariaCurrent = 'true'
    else button.removeAttribute('aria-current')
    button.removeAttribute('aria-selected')
  }
}

let isDue = false
new MutationObserver(() => {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    name()
  })
}).observe(document.querySelector('#reference'), {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['aria-selected', 'aria-label', 'role'],
})
`
