import type { DataScope } from '../http/scope.ts'
import { servedTypes } from './resource-types.ts'
import type { ServedType } from './resource-types.ts'

/** What an export reads in one go: resources of one type that one scope opens, of all children. */
export interface ExportStream {
  /** Kept with an export that is under way, also over an update of the service. */
  name: string
  type: ServedType
  scope: DataScope
}

/** In the order in which an export reads them. */
export const exportStreams: readonly ExportStream[] = servedTypes.flatMap((type) =>
  type.scope.map((scope) => ({ name: `${type.name} ${scope}`, type, scope })),
)

/** What has been asked for: types, and what the token opened, by our scopes. */
interface Chosen {
  types: readonly string[]
  scopes: readonly string[]
}

/** The next stream that an export reads, after the one named `last` or the first one; undefined if there is none. */
export const nextStream = ({ types, scopes }: Chosen, last?: string): ExportStream | undefined =>
  exportStreams
    .slice(exportStreams.findIndex(({ name }) => name === last) + 1)
    .find(({ type, scope }) => types.includes(type.name) && scopes.includes(scope))

/**
 * SQL condition: the service `client` (its id in the table) may read now what `scope` opens of the child, because of a grant that is in force.
 * Lines of an export are made, counted and given out under it, so that they go with the grant.
 */
export const mayReadSql = (client: string, child: string, scope: string) => `EXISTS (
  SELECT FROM access_grant_child c JOIN access_grant g ON g.id = c.grant_id JOIN root_user u ON u.id = g.root_user_id
  WHERE c.real_user_id = ${child} AND g.client_id = ${client} AND ${scope} = ANY (g.scopes)
    AND grant_in_force(g.ended_at, g.expires_at, now()) AND is_active_account(u))`
