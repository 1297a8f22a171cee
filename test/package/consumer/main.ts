import { createCompanion, isOffline, isSignedOut, memoryStorage, safe } from '@companion/sdk'
import type { AppRouter, Child, Companion, SignUpInput } from '@companion/sdk'

export const companion: Companion = createCompanion({
  baseUrl: 'https://companion.test',
  storage: memoryStorage(),
  onSignedOut: (reason) => reason === 'duplicate_login',
})

const nothing = (left: never): never => left

/** Compiles only when the types came along whole: `any` would let the last two lines fail to fail. */
export async function read(real_user_id: number): Promise<Child | string> {
  const [child, error] = await safe(companion.children.read({ real_user_id }))
  if (!error) return child
  if (isSignedOut(error) || isOffline(error) || !error.data) return 'later'
  switch (error.data.status) {
    case 401:
    case 423:
      return error.data.detail
    case 400:
    case 404:
    case 405:
    case 413:
    case 415:
    case 422:
    case 429:
    case 500:
      return error.data.requestId ?? ''
    default:
      return nothing(error.data)
  }
}

// @ts-expect-error the id is a number
void companion.children.read({ real_user_id: '1' })
// @ts-expect-error there is no such operation
void companion.children.sell

export type { AppRouter, SignUpInput }
