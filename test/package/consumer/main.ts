import { createCompanion, isOffline, isSignedOut, memoryStorage, safe } from '@companion/sdk'
import { clientCredentials } from '@companion/sdk/oauth'
import { scriptedService } from '@companion/sdk/testing'
import { createCompanion as createLight, safe as lightSafe } from '@companion/sdk/token'
import type { TrpcRouter, Child, Companion, SignUpInput } from '@companion/sdk'

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
    case 403:
    case 423:
      return error.data.detail
    case 400:
    case 404:
    case 405:
    case 409:
    case 413:
    case 415:
    case 422:
    case 426:
    case 429:
    case 500:
    case 503:
      return error.data.requestId ?? ''
    default:
      return nothing(error.data)
  }
}

const baseUrl = 'https://companion.test'
const accessToken = clientCredentials({ baseUrl, clientId: 'study', clientSecret: 'secret', scopes: [] })
const light = createLight({ baseUrl, accessToken })

/** The entry for a token has the types of the package itself: its calls and errors go with either `safe`. */
export async function nights(real_user_id: number): Promise<number | 'Not authorized user' | undefined> {
  const [page, error] = await lightSafe(light.treatments.list({ real_user_id }))
  if (page) return page.items.length
  const [, same] = await safe(light.treatments.list({ real_user_id }))
  if (error.data?.status === 401 && same?.data?.detail === 'Not authorized user') return same.data.detail
  // @ts-expect-error The raw client of tRPC is the other entry's.
  return light.trpc
}

export async function report(real_user_id: number): Promise<ArrayBuffer | string> {
  const period = { real_user_id, current_date: '2026-03-01', select_mode: 0 } as const
  const [file, error] = await safe(
    companion.reports.exportPdf(period, { onProgress: ({ loaded }) => loaded }),
  )
  if (!error) return file.bytes
  switch (error.data?.status) {
    case 403: {
      const detail: 'This device does not belong to the user' | 'Insufficient scope' = error.data.detail
      return detail
    }
    default:
      return 'later'
  }
}

export async function note(memo: string): Promise<string> {
  companion.outbox.subscribe(({ type, waiting }) => `${type} ${waiting}`)
  const [item] = await companion.outbox.saveEvent({ real_user_id: 1, created_at: '2026-03-01', memo })
  return item?.kind === 'event' ? item.id : ''
}

export function testOfAnApp(): Companion {
  const service = scriptedService()
  service.refuse('children.read', 404, 'Real user is not found')
  // @ts-expect-error no such error of this operation
  service.refuse('children.read', 404, 'User not found')
  return createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch })
}

/** Their inferred types must be ones that can be written down: with `declaration`, tsc says so. */
export const load = (real_user_id: number) => companion.children.read({ real_user_id })
export const safely = (real_user_id: number) => safe(companion.children.read({ real_user_id }))

// @ts-expect-error the id is a number
void companion.children.read({ real_user_id: '1' })
// @ts-expect-error there is no such operation
void companion.children.sell

export type { TrpcRouter, SignUpInput }
