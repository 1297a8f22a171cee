/*
 * Measures whether password hashing slows down other callers, in rounds on one service: the p99 of `GET user/me` while 50
 * sign-ins are always running, as a ratio of its quiet p99. The aim is a ratio of at most 3.
 *
 *   node test/bench/sign-in-load.ts
 */
import { hashPassword } from '@companion/server/auth/password/passwords.ts'
import { sessionResponseSchema } from '@companion/server/auth/tokens/token-response.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { openConfiguredDatabase } from '@companion/server/open-database.ts'
import { compareRounds, keepBusy, p99Of, startEmbeddedService } from './embedded-service.ts'

const SIGN_INS = 50
const ROUNDS = 3
const PASSWORD = 'correct horse battery'
const emailOf = (n: number) => `parent-${n}@example.com`

const service = await startEmbeddedService()
const { url, directory } = service
try {
  await addAccounts()
  const token = (await signIn(0)).access_token
  const read = () => p99Of(`${url}/api/v1/beta/user/me`, token)
  const signIns = Array.from({ length: SIGN_INS }, (_, n) => () => signIn(n))
  // Warm both up, like a service that has run for a minute.
  const first = keepBusy(signIns)
  await read()
  await first.stop()
  await compareRounds(ROUNDS, read, signIns, (aSecond) => `${aSecond.toFixed(0)} sign-ins a second`)
} finally {
  await service.stop()
}

/** One account for each sign-in, so that no sign-in waits for another's session. */
async function addAccounts(): Promise<void> {
  const config = readConfig({ DATA_DIR: directory })
  const { database, close } = await openConfiguredDatabase(config)
  const password_hash = await hashPassword(PASSWORD)
  const account = {
    password_hash,
    password_changed_at: new Date(),
    first_name: 'Kim Jiyoung',
    last_name: '',
    birthdate: '19850401',
    gender: 'F',
    is_phone_number_checked: true,
    is_signup_completed: true,
    register_type: 'E',
    national_code: 'KR',
  }
  await database.sql
    .insertInto('root_user')
    .values(
      Array.from({ length: SIGN_INS }, (_, n) => ({
        ...account,
        email: emailOf(n),
        phone: `+8210${10_000_000 + n}`,
      })),
    )
    .execute()
  await close()
}

async function signIn(n: number): Promise<{ access_token: string }> {
  const response = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: emailOf(n), password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`A sign-in answered ${response.status}`)
  return sessionResponseSchema.parse(await response.json())
}
