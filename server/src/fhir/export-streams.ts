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

/** SQL from FROM on: the children (`c.real_user_id`) of whom the service `client`, by its id in the table, may read what `scope` opens. */
export const readableChildrenSql = (client: string, scope: string) =>
  `FROM access_grant g JOIN root_user u ON u.id = g.root_user_id JOIN access_grant_child c ON c.grant_id = g.id
  WHERE g.client_id = ${client} AND ${scope} = ANY (g.scopes) AND grant_in_force(g.ended_at, g.expires_at, now()) AND is_active_account(u)`

/**
 * SQL condition: `child` is one of them now. Lines of an export are made, counted and given out under it, so that they go with the
 * grant. By OFFSET 0 it is a look at the indexes for each row, however many grants the service has.
 */
export const mayReadSql = (client: string, child: string, scope: string) =>
  `EXISTS (SELECT ${readableChildrenSql(client, scope)} AND c.real_user_id = ${child} OFFSET 0)`
