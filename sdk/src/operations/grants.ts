/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Grant } from '../types.ts'
import type { EndGrantInput } from './inputs.ts'
import type { EndGrantError, ListGrantError } from './errors.ts'

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
  list: (options?: CallOptions) => CompanionCall<Grant[], ListGrantError>

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
  end: (input: EndGrantInput, options?: CallOptions) => CompanionCall<Done, EndGrantError>
}

export const grantsMethods: Record<keyof GrantsOperations, MethodKind> = {
  list: queryMethodWithoutInput,
  end: mutationMethod,
}
