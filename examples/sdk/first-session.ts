import { createCompanion, safe } from '@companion/sdk'

const { COMPANION_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env
const { COMPANION_EMAIL: username = 'demo@example.com' } = process.env
const { COMPANION_PASSWORD: password = 'demo-family-2026' } = process.env

const companion = createCompanion({ baseUrl })
await companion.auth.signIn({ username, password })
const me = await companion.account.me()
console.log(`Signed in as ${me.first_name}`)

// Errors are values: the type of `error.data` lists the statuses and texts that this operation declares.
const [child, error] = await safe(companion.children.read({ real_user_id: 2_000_000 }))
if (error?.data?.status === 404) console.log(error.data.detail)
else console.log(child)
