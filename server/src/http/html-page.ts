import { createHash } from 'node:crypto'
import type { Language } from '../delivery/messages.ts'

/* The frame of the pages that parents open in a browser. They load nothing and work without JavaScript. */

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #f5f6f8; --card: #fff; --line: #7a828c; --main: #17696a; --on-main: #fff; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #15181c; --card: #20242a; --line: #8b939d; --main: #71bdb7; --on-main: #0c1a1a; --bad: #ffb4ab }
}
* { box-sizing: border-box }
body { margin: 0; padding: 1.5rem 1rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; word-break: keep-all; overflow-wrap: anywhere }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border-radius: .75rem }
.product { margin: 0 0 1rem; font-weight: 600 }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0 0 1rem }
main > :last-child { margin-bottom: 0 }
label { display: block; margin-top: 1.25rem; font-weight: 600 }
small { display: block; font-size: .9375rem }
input { display: block; width: 100%; margin-top: .375rem; padding: .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem }
.code { display: block; padding: .75rem; font: 1rem/1.5 ui-monospace, monospace; word-break: break-all; border: 1px dashed var(--line); border-radius: .5rem; user-select: all; -webkit-user-select: all }
.how { margin-top: 1.25rem }
fieldset { margin: 1.25rem 0 0; padding: 0; border: 0 }
legend { padding: 0; font-weight: 600 }
.choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; margin: 0; font-weight: 400 }
.choice input { flex: none; width: 1.375rem; height: 1.375rem; margin: 0; padding: 0; accent-color: var(--main) }
ul { margin: 0 0 1rem; padding-left: 1.25rem }
button, .button { display: block; width: 100%; margin-top: 1.5rem; padding: .875rem; font: inherit; font-weight: 600; color: var(--on-main); background: var(--main); border: 0; border-radius: .5rem; text-align: center; text-decoration: none }
.quiet { margin-top: .75rem; color: var(--main); background: transparent; border: 1px solid var(--line) }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
[role=alert] { color: var(--bad); font-weight: 600 }
`

/** For the Content-Security-Policy, which allows this one style sheet and nothing else. */
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`

/** Text as it stands in HTML, also within a quoted attribute. */
export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** `formTargets` are the places besides this service where a form may lead, if only by a redirect. */
export function contentPolicy(...formTargets: readonly string[]): string {
  const targets = ["'self'", ...formTargets].join(' ')
  return `default-src 'none'; style-src '${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`
}

/** The headers of such a page, whose address holds a token. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentPolicy(),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  vary: 'accept-language',
}

/** A page with one heading, as HTML; `content` is HTML, too. */
export const renderPage = (language: Language, heading: string, content: string): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} – Companion</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="product">Companion</p>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`
