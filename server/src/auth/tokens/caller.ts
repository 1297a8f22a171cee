import type { DataScope } from '../../http/scope.ts'
import type { AccessClaims } from './tokens.ts'

/** What a service that calls with a parent's consent may reach in this call. */
export interface GrantedAccess {
  /** The service: `id` of the table `client`. */
  clientId: number
  scopes: ReadonlySet<DataScope>
  /** The scopes of the token by the names that it was asked for. */
  names: ReadonlySet<string>
  /** The scopes by child: parents may have granted different ones. */
  scopesOfChild: ReadonlyMap<number, ReadonlySet<DataScope>>
  children: ReadonlySet<number>
}

/** The caller: an account, or a service to which the account has granted a part of what it may do. */
export interface Caller extends AccessClaims {
  /** Undefined for the account itself. A grant outlives sign-outs and passwords, so that the epoch says nothing of it. */
  granted?: GrantedAccess
}
