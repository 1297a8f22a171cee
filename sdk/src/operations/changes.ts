/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { createFollowMethod } from '../iterations.ts'
import type { FollowOptions, IteratingMethod } from '../iterations.ts'
import { queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Changes, ListChangesInput } from '../types.ts'
import type { ListChangeError } from './errors.ts'

export interface ChangesOperations {
  /**
   * What has changed since the last call.
   *
   * The changes of the children that the caller may see and that are shared or granted to somebody. Keep `next` and
   * send it as `after` with the next call: each change comes once, and the same cursor gives the same changes again.
   * Changes are kept for 90 days.
   *
   * Contract: `GET /api/v1/beta/changes`.
   *
   * @param input
   * - `after`: The `next` of an earlier response; `latest`: no items, but the `next` to begin with now.
   * - `limit`: The most changes of a response. From 1 to 1,000. Default: 200.
   * @returns Changes in their order.
   * - `items`: Changes by their `kind`, which says of what `id` and `date` are.
   * - `next`: The `after` of the next call.
   * - `has_more`: Whether there are more changes now.
   * @throws 410 `Cursor is expired`: changes behind the cursor are no longer kept; begin again without one
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (input?: ListChangesInput, options?: CallOptions) => CompanionCall<Changes, ListChangeError>

  /**
   * Goes through the changes behind a cursor, one by one, and waits for more: `for await (const change of companion.changes.follow({ after, save }))`.
   *
   * It asks again every 5 seconds, also while the service cannot be reached. After `signal` the loop ends.
   *
   * @throws `CursorLost` where changes behind the cursor are no longer kept (90 days)
   */
  follow: (options?: FollowOptions) => AsyncIterableIterator<Changes['items'][number]>
}

export const changesMethods: Record<keyof ChangesOperations, MethodKind | IteratingMethod> = {
  list: queryMethod,
  follow: createFollowMethod('list'),
}
