/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type { ServiceTrpc } from '../file-link.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Grant } from '../types.ts'
import type { EndGrantInput } from './inputs.ts'
import type { EndGrantRefusal, ListGrantRefusal } from './refusals.ts'

export interface GrantsOperations {
  /**
   * The services that may reach data of the account's children.
   *
   * Newest first. Those that were ended or have expired are left out.
   *
   * Contract: `GET /api/v1/beta/grant`.
   *
   * @returns for each:
   * - `grant_id`: The id of the grant.
   * - `client`: The service that was let in.
   * - `client.client_id`: The name of the service in OAuth. Such as `sleep-study`.
   * - `client.name`: Its name. Such as `Sleep study`.
   * - `client.publisher`: Who offers it. Such as `University Hospital`.
   * - `client.url`: Where it presents itself. Such as `https://study.example.org`.
   * - `scopes`: What it may do.
   * - `real_user_ids`: The children whose data it may reach.
   * - `granted_at`: When it was granted.
   * - `expires_at`: When it ends; null if only by being ended.
   * - `last_used_at`: When the service last called, to the minute; null if it never has.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => CompanionCall<Grant[], ListGrantRefusal>

  /**
   * Disconnect a service.
   *
   * Its next request is refused, whatever token it has.
   *
   * Contract: `DELETE /api/v1/beta/grant/{grant_id}`.
   *
   * @throws 404 `Grant not found`: no grant in force has this id, or it is another account's
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  end: (input: EndGrantInput, options?: CallOptions) => CompanionCall<Done, EndGrantRefusal>
}

export const grantsOperations = (trpc: ServiceTrpc): GrantsOperations => ({
  list: (options) => trpc.grants.list.query({}, rawOptions(options)),
  end: (input, options) => trpc.grants.end.mutate(input, rawOptions(options)),
})
