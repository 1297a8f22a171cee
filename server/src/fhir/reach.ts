import { requireActiveCaller } from '../auth/account-endpoint.ts'
import { insufficientScope, isClientCredentialsCaller } from '../auth/tokens/grant-token.ts'
import type { Caller } from '../auth/tokens/caller.ts'
import { batchedRead } from '../database/batched-read.ts'
import type { Context } from '../http/context.ts'
import type { Role } from '../http/right.ts'
import { dataScopes } from '../http/scope.ts'
import type { AnyScope, DataScope } from '../http/scope.ts'
import { dataScopesOf, fhirTypesOf } from '../http/scope-names.ts'
import type { FhirType } from '../http/scope-names.ts'
import { today } from '../time/wall-clock.ts'
import type { ReachedChild } from './search.ts'

export type FhirOperation = 'fhir.read' | 'fhir.search' | 'fhir.export'

/** The caller, and what they may reach. */
export interface Reach {
  caller: Caller
  /** In the order of their ids. */
  children: readonly ReachedChild[]
  roleOf: (realUserId: number) => Role | undefined
  /** Whether the token opens a type, of whichever child. */
  opens: (type: FhirType) => boolean
  /** Puts an access on the trail. */
  note: (operation: FhirOperation, children: Iterable<number>, outcome?: string) => void
}

interface Child {
  id: number
  role: Role
}

const selectChildren = batchedRead<Child>(
  'fhir-children',
  ['int', 'date'],
  `SELECT id, 'owner' AS role FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL
   UNION ALL
   SELECT r.id, m.role FROM live_child_memberships($2) m JOIN real_user r ON r.id = m.real_user_id
   WHERE m.root_user_id = $1 AND r.deleted_at IS NULL
   ORDER BY id`,
)

const everything: ReadonlySet<DataScope> = new Set(dataScopes)

/**
 * The caller that a token names, and the children that it opens. Of a service's own token that is for one child, `realUserId` names
 * it, so that no others are looked up. Throws 401, 403, 423 or 429, as on REST; 403 also for a type that the token does not open.
 */
export async function reach(
  ctx: Context,
  asked: {
    operation: FhirOperation
    scope: AnyScope
    type?: FhirType | undefined
    realUserId?: number | undefined
  },
): Promise<Reach> {
  const { operation, scope, type, realUserId } = asked
  const caller = await requireActiveCaller(ctx, {
    operation: { scope, method: 'GET' },
    path: operation,
    getRawInput: async () => (realUserId === undefined ? undefined : { real_user_id: realUserId }),
  })
  const { granted, rootUserId } = caller
  const rows: readonly Child[] = granted
    ? [...granted.children].toSorted((a, b) => a - b).map((id) => ({ id, role: 'owner' }))
    : await ctx.database.query(selectChildren, [rootUserId, today(ctx.timeZone)])
  // A service's own token that stands for no grant yet opens what it names, of nobody.
  const held =
    granted && (isClientCredentialsCaller(caller) ? new Set(dataScopesOf(granted.names)) : granted.scopes)
  const types = granted && held && fhirTypesOf(granted.names, held)
  if (type && types && !types.has(type)) throw insufficientScope(scope)
  const roles = new Map(rows.map(({ id, role }) => [id, role]))
  return {
    caller,
    children: rows.map(({ id, role }) => ({
      id,
      scopes: granted?.scopesOfChild.get(id) ?? everything,
      isOwn: !granted && role === 'owner',
    })),
    roleOf: (id) => roles.get(id),
    opens: (each) => types?.has(each) ?? true,
    note(operation, children, outcome = 'ok') {
      for (const id of new Set(children)) {
        const role = roles.get(id)
        const actor = granted
          ? ({ kind: 'client', id: granted.clientId } as const)
          : ({ kind: role && role !== 'owner' ? 'member' : 'account', id: rootUserId } as const)
        ctx.trail.note(ctx, { actor, operation, realUserId: id, outcome, isChange: false })
      }
    },
  }
}
