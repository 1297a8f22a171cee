/** The text that precedes the operations in the reference; Markdown. */
export const introduction = `
Accounts and their children, the usage logs of a clinical device, and the charts made of them.

## Signing in

1. **Sign up once.** Send a code to the phone (\`send-sms-auth\`), exchange it for a \`valid_token\`
   (\`phone-number-validation\`), and send that token as \`Authorization: Bearer <valid_token>\` with the sign-up. It works
   once and lives 600 seconds.
2. **Sign in.** The response holds an access token (900 seconds) and a refresh token (14 days). Send
   \`Authorization: Bearer <access_token>\` with every operation that asks for one.
3. **Renew.** On 401 \`Token is expired\`, exchange the refresh token for a new pair and repeat the call. A refresh token
   works once: save the new pair before going on, let only one exchange run at a time, and send an \`Idempotency-Key\` so
   that it can be repeated when its response was lost.
4. **Sign out** when an exchange fails with 401: somebody signed in elsewhere, or the session has ended.

Devices upload their logs without a token.

## Other services

A service of somebody else never asks for a parent's password: it sends the parent to \`/oauth/authorize\` (OAuth 2.1,
authorization code with PKCE), the parent signs in here and chooses children, and the service gets a token for what was granted.
Operations name the scopes that reach them under \`oauth2\`, or \`serviceToken\` if only a service in its own name may call; those that name none are out of reach: 403 \`Insufficient scope\`
with \`WWW-Authenticate: Bearer error="insufficient_scope"\`. A child outside of the grant is 401 \`Not authorized user\`. Answers
to a service carry \`RateLimit\` and \`RateLimit-Policy\`: 600 calls a minute and grant. Metadata is at
\`/.well-known/oauth-authorization-server\`.

## Errors

Every error is \`{"detail": …}\` with its status. The texts are part of the interface: tell errors apart by status and text.
Each operation lists its own; an unknown path is 404 \`Resource not found\`, a known path with another method is 405
\`Method Not Allowed\` with an \`Allow\` header.

- **422** – the input is not valid. \`detail\` is a list with one object per issue; \`loc\` says where it is and \`url\` explains
  its \`type\`. Where an operation lists a text under 422, \`detail\` is that text.
- **429** – wait as many seconds as \`Retry-After\` says.
- **500** – try again later, at growing intervals.

[All error types and general texts](/docs/errors)

Every response carries \`X-Request-Id\`; name it when you report a problem. An \`X-Request-Id\` of your own (8 to 128 of
\`A-Z a-z 0-9 _ . -\`) is kept.

A client may name itself in \`X-Client: my-app/1.2 (ios)\`, a name and a version of letters, digits and \`. _ + -\`, and in
parentheses where it runs; several names are separated by spaces. The operator may demand a version: an older one is refused
with 426 \`Client version is not supported\`. A header of another form is ignored.

Responses carry \`Cache-Control: no-store\`, because they hold health data and tokens, unless an operation says that they may
be cached, and headers that tell browsers to frame, sniff and share nothing. Each operation lists its further headers.

## Conventions

| What | Format |
| --- | --- |
| Bodies | JSON in UTF-8, unless an operation says otherwise; unknown fields of a request are ignored; \`Content-Encoding: gzip\` is accepted |
| Birth date | \`yyyymmdd\` |
| Calendar date | \`yyyy-mm-dd\` |
| Treatment time | the device's wall clock, ISO 8601 without zone: \`2026-03-01T21:30:00\` |
| Other moments | ISO 8601 in UTC |
| Phone number | E.164: \`+821012345678\` |
| Country | ISO 3166-1 alpha-2: \`KR\` |
| Gender | \`M\` male, \`F\` female, \`N\` non-binary, \`P\` prefer not to say |
| Boolean sent | \`true\`, \`false\`, \`1\` or \`0\`; nothing else is taken for one |
| Length of text | in Unicode code points |

## Versions

The version is part of the path. Within one, operations and fields are only added: ignore fields you do not know. Coming
changes: \`finish_flag\` becomes an integer (both forms are accepted today), the recent chart will hold every date of its
period, and \`last_name\` at sign-up is deprecated.

## Generated clients

Sign-in takes JSON as well as a form; a client whose generator leaves the choice to the caller sends
\`Content-Type: application/json\`. Reports and spreadsheets are bytes, not text: ask for a blob or an array buffer. The body of
the upload is a bare array, and a DELETE with fields takes them in a body or in the query.

The same operations are served over tRPC at \`/trpc\`, which the TypeScript SDK uses.
`.trim()
