import { accountErrors, generic, otherAccountErrors, tokenErrors, trpcErrors } from '../errors/generic.ts'
import { validationExample } from './responses.ts'
import { issueTypes } from '../http/validation-issues.ts'

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${content}
</html>
`

/** The HTML page of the interactive reference. */
export const referencePage = page(
  'Companion API',
  `<link rel="stylesheet" href="/docs/assets/reference.css">
</head>
<body>
<div id="reference">
<noscript>The reference needs JavaScript. <a href="/openapi.json">The OpenAPI document</a> has the same content.</noscript>
</div>
<script src="/docs/assets/scalar.js"></script>
<script src="/docs/assets/reference.js"></script>
</body>`,
)

/** The five options after `theme` keep the page from asking any other server. */
export const referenceScript = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  theme: 'default',
  agent: { disabled: true },
  proxyUrl: '',
  hideClientButton: true,
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  authentication: { preferredSecurityScheme: 'signIn' },
})
`

/**
 * Scalar's own colours have too little contrast, and keys could not reach the ends of its lists of operations. Its examples of a
 * client look like values.
 */
export const referenceStyle = `body { margin: 0 }
/* A heading that fills its line would push the button for its link, which stands behind it, over the edge of a phone. */
.section-header { padding-right: 2rem }
body.light-mode {
  --scalar-color-2: #515151; --scalar-color-3: #5f5f5f; --scalar-sidebar-color-2: #515151;
  --scalar-color-green: #046c47; --scalar-color-blue: #0a58b8; --scalar-color-orange: #8f4700;
  --scalar-color-red: #b3122b; --scalar-color-yellow: #755800; --scalar-color-purple: #6631b8;
}
#reference .cm-placeholder[aria-label="placeholder 12345"] { visibility: hidden }
#reference input[placeholder="XYZ123"]::placeholder { color: transparent }
#reference .property--deprecated > * { opacity: 1 }
#reference .endpoints, #reference :has(> .endpoints) { overflow: visible; max-height: none }
#reference .endpoints * { white-space: normal; overflow-wrap: anywhere }
body.dark-mode {
  --scalar-color-2: #b8b8b8; --scalar-color-3: #a3a3a3; --scalar-sidebar-color-2: #b8b8b8; --scalar-color-red: #ff6b6b;
}
`

type Detail =
  | (typeof generic)[keyof typeof generic][1]
  | (typeof trpcErrors)[keyof typeof trpcErrors][1]
  | (typeof tokenErrors | typeof otherAccountErrors | typeof accountErrors)[number][1]

/** The advice to clients for each generic error; HTML. */
const advice: Record<Detail, string> = {
  'Request body is not valid JSON': 'Correct the body: it must be JSON in UTF-8.',
  'Batches are not supported':
    'Only at <code>/trpc</code>: send each call in a request of its own, with <code>httpLink</code>.',
  'Resource not found': 'Correct the path: it is case-sensitive and does not end in a slash.',
  'Files are served over REST alone':
    'Only at <code>/trpc</code>: fetch the file from the path that the reference names.',
  'Method Not Allowed': 'The path exists; the <code>Allow</code> header names its methods.',
  'Request body is too large': 'Send less data at a time.',
  'Unsupported media type':
    'Send the <code>Content-Type</code> that the operation names, and no encoding but <code>gzip</code>.',
  'Request is in progress':
    'The first call with this <code>Idempotency-Key</code> is not answered yet: try again shortly.',
  'Idempotency key was used for another request':
    'Make a new <code>Idempotency-Key</code> for each change; only attempts at the same change share one.',
  'Client version is not supported':
    'The operator serves no version of this client as old as this one: ask the user to update the app.',
  'Too many requests': 'Wait as many seconds as the <code>Retry-After</code> header says.',
  'Internal server error. Please try again later.':
    'Try again, at growing intervals. If the error persists, report the <code>X-Request-Id</code> of the response.',
  'Part of the service is not available. Please try again later.':
    'Where these records are stored is out of reach. Wait as many seconds as the <code>Retry-After</code> header says.',
  'Could not validate credentials':
    'The token is missing or of the wrong kind, or its session was ended: sign in again.',
  'Token is expired':
    'Exchange the refresh token for a new pair and repeat the call; if it was the refresh token, sign in again.',
  'Insufficient scope':
    'The token is of a service, and the parent has not granted this to it, or no service may do it: ask the parent for the scope that the reference names.',
  'User is None': 'The account is gone: sign out.',
  'User is Deleted': 'The account was deleted: sign out.',
  'Not authorized user':
    'The operation is for parents, or for clinicians, and the account is of the other kind; or the child is not the account’s.',
  'Access denied. Account blocked': 'Only the operator can lift the block.',
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const rows = [
  ...tokenErrors,
  ...otherAccountErrors,
  ...accountErrors,
  ...Object.values(generic),
  ...Object.values(trpcErrors),
]
  .toSorted(([one], [other]) => one - other)
  .map(
    ([status, detail]) =>
      `<tr><td>${status}</td><td><code>${escaped(detail)}</code></td><td>${advice[detail]}</td></tr>`,
  )

const types = Object.entries(issueTypes).map(
  ([type, meaning]) => `<section id="${type}" aria-labelledby="${type}-title">
<h3 id="${type}-title"><a href="#${type}"><code>${type}</code></a></h3>
<p>${escaped(meaning)}</p>
</section>`,
)

/** The HTML page that explains the format of errors, the generic errors and the types of validation issues. */
export const errorsPage = page(
  'Errors – Companion API',
  `<link rel="stylesheet" href="/docs/assets/errors.css">
</head>
<body>
<main>
<p><a href="/docs">Companion API reference</a></p>
<h1>Errors</h1>
<p>Every error is a JSON object with one field, <code>detail</code>, and the status that fits. The texts do not change:
a client may tell errors apart by status and text. The reference lists the texts of each operation.</p>
<pre tabindex="0">${escaped(JSON.stringify({ detail: generic.notFound[1] }, null, 2))}</pre>

<h2 id="general">Errors of any operation</h2>
<div class="wide" tabindex="0" role="region" aria-labelledby="general">
<table>
<thead><tr><th scope="col">Status</th><th scope="col"><code>detail</code></th><th scope="col">What to do</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>

<h2 id="invalid-input">Input that is not valid: 422</h2>
<p>Here <code>detail</code> is a list with one object for each issue. <code>loc</code> says where it is:
<code>path</code>, <code>query</code>, <code>body</code> or <code>header</code>, then the path to the field, with
positions in a list counted from 0. <code>input</code> is the value that was sent, if it is a single plain value and no
secret.
<code>type</code> is one of those below, and <code>url</code> leads there.</p>
<pre tabindex="0">${escaped(JSON.stringify(validationExample, null, 2))}</pre>
${types.join('\n')}
</main>
</body>`,
)

export const errorsStyle = `:root { color-scheme: light dark; --line: #8884; --mark: #fd03 }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 6rem }
h1, h2, h3 { line-height: 1.25 }
h2 { margin-top: 2.5rem }
section { border-top: 1px solid var(--line); padding: .75rem; scroll-margin-top: 1rem }
section > * { margin: .25rem 0 }
section:target { background: var(--mark) }
section a { text-decoration: none }
section a:hover, section a:focus-visible { text-decoration: underline }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre, .wide { overflow-x: auto }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: .375rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line) }
`
